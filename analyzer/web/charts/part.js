// SPDX-License-Identifier: GPL-3.0-or-later
// What functions did in a chosen part of the time, as far as single calls are known. Their times are as
// recorded; the time of calls that were not recorded singly counts for their callers.

// Sums by function. Total time is that of outermost calls, so a recursion counts once.
function byFunction(tree, nr, { own, calls, total }) {
	const sums = { self_ns: new Float64Array(nr), total_ns: new Float64Array(nr),
		calls: new Float64Array(nr) };
	const open = new Uint32Array(nr);
	let node = tree.child[0];
	while (node > 0) {
		const func = tree.func[node];
		sums.self_ns[func] += own[node];
		sums.calls[func] += calls[node];
		if (!open[func] || !tree.isRecursion(node))
			sums.total_ns[func] += total[node];
		if (tree.child[node] > 0) {
			open[func]++;
			node = tree.child[node];
			continue;
		}
		while (node > 0 && tree.next[node] < 0) {
			node = tree.parent[node];
			if (node > 0)
				open[tree.func[node]]--;
		}
		if (node > 0)
			node = tree.next[node];
	}
	for (let i = 0; i < nr; i++)	// a merged span may lie within only in part
		sums.calls[i] = Math.round(sums.calls[i]);
	return sums;
}

export class Part {
	constructor(spans, model, from, to) {
		// own, calls: by path
		Object.assign(this, { spans, model, from, to }, spans.between(from, to));
		this.total = spans.tree.sums(this.own, spans.tree.within);
		this.functions = byFunction(spans.tree, model.names.rows, this);
	}

	// The functions that did anything.
	numbers() {
		const { self_ns: self, calls } = this.functions;
		return Array.from({ length: this.model.nrFunctions },
			(_, i) => i).filter((i) => self[i] > 0 || calls[i] > 0);
	}

	// By process: { functions_ns, calls, fields }. fields maps a field to its self time, and a field to
	// its calls.
	get processes() {
		return this.list ??= this.findProcesses();
	}

	findProcesses() {
		const { model, spans } = this, { tree } = spans;
		const field = model.names.texts("field"), of = model.threads.numbers("process");
		const list = Array.from({ length: model.processes.rows },
			() => ({ functions_ns: 0, calls: 0, functions: new Map() }));
		const add = (process, func, time, calls) => {
			const sum = process.functions.get(func) ?? { self_ns: 0, calls: 0 };
			sum.self_ns += time;
			sum.calls += calls;
			process.functions.set(func, sum);
		};
		spans.each(this.from, this.to, (node, time, calls, lane) => {
			const process = list[of[lane.thread]], parent = tree.within[node];
			process.calls += calls;
			if (lane.depth === 0)
				process.functions_ns += time;
			add(process, tree.func[node], time, calls);
			if (parent > 0)
				add(process, tree.func[parent], -time, 0);
		});
		return list.map((process) => {
			const fields = new Map();
			for (const [func, sum] of process.functions) {
				const name = field(func), before = fields.get(name) ??
					{ self_ns: 0, calls: 0 };
				fields.set(name, { self_ns: before.self_ns + Math.max(0, sum.self_ns),
					calls: before.calls + Math.round(sum.calls) });
			}
			return { functions_ns: process.functions_ns, calls: Math.round(process.calls),
				fields };
		});
	}

	// By thread: time in functions, and calls.
	threads() {
		const nr = this.model.threads.rows, sums = { functions_ns: new Float64Array(nr),
			calls: new Float64Array(nr) };
		this.spans.each(this.from, this.to, (node, time, calls, lane) => {
			sums.calls[lane.thread] += calls;
			if (lane.depth === 0)
				sums.functions_ns[lane.thread] += time;
		});
		return sums;
	}

	// How long the threads with calls of each process lived within the part.
	lives() {
		const { model } = this, { threads, processes } = model;
		const lives = new Float64Array(processes.rows), last = processes.numbers("last_ns");
		const of = threads.numbers("process"), begin = threads.numbers("begin_ns"),
			end = threads.numbers("end_ns"), calls = threads.numbers("calls");
		for (let i = 0; i < threads.rows; i++)
			if (calls[i] > 0)
				lives[of[i]] += Math.max(0, Math.min(this.to,
					end[i] || last[of[i]]) - Math.max(this.from, begin[i]));
		return lives;
	}
}
