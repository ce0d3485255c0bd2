// SPDX-License-Identifier: GPL-3.0-or-later
// The calls over time: lanes of threads and depths, each with its spans sorted by start.

export class Spans {
	static async open(data, model) {
		const sheet = await data.sheet("timeline");
		const tree = await model.tree();
		return sheet && new Spans(sheet, tree);
	}

	constructor(sheet, tree) {
		this.tree = tree;
		this.about = sheet.about;
		this.start = sheet.numbers("start_ns");
		this.duration = sheet.numbers("duration_ns");
		this.node = Uint32Array.from(sheet.numbers("node"));
		this.others = Uint32Array.from(sheet.numbers("other_calls"));
		this.idle = sheet.numbers("idle_ns");
		this.heap = sheet.numbers("heap_delta_bytes");
		this.flags = Uint8Array.from(sheet.numbers("flags"));
		const thread = sheet.numbers("lane_thread"), depth = sheet.numbers("lane_depth"),
			sizes = sheet.numbers("lane_spans");
		let first = 0;
		this.threads = new Map();
		this.lanes = Array.from(thread, (_, i) => {
			const lane = { thread: thread[i], depth: depth[i], first, end: first + sizes[i] };
			first = lane.end;
			if (!this.threads.has(lane.thread))
				this.threads.set(lane.thread, []);
			this.threads.get(lane.thread)[lane.depth] = lane;
			return lane;
		});
	}

	func(span) {
		return this.tree.func[this.node[span]];
	}

	isMerged(span) {
		return this.others[span] > 0;
	}

	// The first span of a lane that starts after a time; searched from @low.
	after(lane, time, low = lane.first) {
		let high = lane.end;
		for (let step = 1; low + step < high; step *= 2)
			if (this.start[low + step] > time) {
				high = low + step;
				break;
			}
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.start[middle] <= time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	// The span of a lane at a time, or -1. If that span is narrower than @slack, one nearby.
	at(lane, time, slack) {
		const next = this.after(lane, time);
		if (next > lane.first && this.start[next - 1] + this.duration[next - 1] >= time - slack)
			return next - 1;
		return next < lane.end && this.start[next] <= time + slack ? next : -1;
	}

	// Visit each span between two times: visit(node, ns within, calls that begin within, lane). The
	// time of a merged span is spread evenly over it, and counts for the path of its longest call.
	each(from, to, visit) {
		for (const lane of this.lanes) {
			let span = this.after(lane, from);
			for (span = Math.max(lane.first, span - 1); span < lane.end && this.start[span] < to;
				span++) {
				const begin = Math.max(from, this.start[span]),
					end = Math.min(to, this.start[span] + this.duration[span]);
				if (end < begin || (end === begin && this.duration[span] > 0))
					continue;
				const share = this.duration[span] ? 1 - this.idle[span] /
					this.duration[span] : 0;
				const calls = !this.others[span] ? Number(this.start[span] >= from) :
					(1 + this.others[span]) * (this.duration[span] ?
						(end - begin) / this.duration[span] : 1);
				visit(this.node[span], (end - begin) * share, calls, lane);
			}
		}
	}

	// What each call path took between two times, as far as single calls are known.
	between(from, to) {
		const own = new Float64Array(this.tree.nr), calls = new Float64Array(this.tree.nr);
		let covered = 0;
		this.each(from, to, (node, time, nr, lane) => {
			const parent = this.tree.within[node];
			own[node] += time;
			if (parent > 0)
				own[parent] -= time;
			if (lane.depth === 0)
				covered += time;
			calls[node] += nr;
		});
		for (let i = 0; i < own.length; i++)
			own[i] = Math.max(0, own[i]);
		return { own, calls, covered };
	}
}
