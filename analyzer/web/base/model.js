// SPDX-License-Identifier: GPL-3.0-or-later
// The run as the panels see it: functions by number, call tree, processes and threads. Large parts are read
// later.
import { Spans } from "./spans.js";
import { keepUnits } from "./units.js";

export class Model {
	static async open(data) {
		const model = new Model();
		model.data = data;
		const [about, summary, run, resources, functions, names, processes,
			threads] = await Promise.all(
			["about", "summary", "summary.run", "summary.resources", "functions.functions",
				"names", "process_list", "thread_list"]
				.map((name) => data.sheet(name)));
		model.about = about.about;
		model.sort = about.about.functions_sort;	// functions have most of this column
		model.unit = model.sort === "calls" ? "count" : "ns";
		keepUnits(model.about);
		model.end = Math.max(1, about.about.end_ns);
		model.sections = summary.about.sections;
		model.run = run;
		model.resources = resources;
		model.functions = functions;
		model.nrFunctions = functions?.rows ?? 0;
		model.names = names;
		model.label = names.texts("label");
		model.module = names.texts("module");
		model.processes = processes;
		model.threads = threads;
		model.findColours();
		return model;
	}

	// Give each module a hue, those with most time first. Functions vary around it, more so if one
	// module has nearly all.
	findColours() {
		const self = this.functions ? this.functions.numbers(this.about.is_sampled ? this.sort :
			"self_ns") : [];
		const time = new Map();
		for (let i = 0; i < this.nrFunctions; i++)
			time.set(this.module(i), (time.get(this.module(i)) ?? 0) + (self[i] || 0));
		this.modules = [...time.keys()].sort((a, b) => time.get(b) - time.get(a));
		this.moduleTime = time;
		this.allTime = [...time.values()].reduce((sum, one) => sum + one, 0);
		this.hues = new Map(this.modules.map((name, i) => [name, hues[i % hues.length]]));
		this.colours = new Map();
	}

	// In CSS form. @variant: "fill" for areas under text, "mark" for dots.
	colour(number) {
		let colour = this.colours.get(number);
		if (!colour) {
			const hash = hashOf(this.label(number));
			const spread = (this.moduleTime.get(this.module(number)) ?? 0) > this.allTime * 0.7 ?
				160 : 26;
			const hue = (this.hues.get(this.module(number)) ?? 0) + (hash % spread) - spread / 2;
			const light = 66 + ((hash >> 8) % 13);
			colour = `hsl(${(hue + 360) % 360} ${58 + ((hash >> 16) % 14)}% ${light}%)`;
			this.colours.set(number, colour);
		}
		return colour;
	}

	moduleColour(name) {
		return `hsl(${this.hues.get(name) ?? 0} 62% 62%)`;
	}

	// The address names a function by its label; if several share the label, by its place among them.
	nameOf(number) {
		const label = this.label(number);
		const same = this.numbersOf(label);
		return same.length > 1 ? `${label}~${same.indexOf(number) + 1}` : label;
	}

	numbersOf(label) {
		if (!this.byLabel) {
			this.byLabel = new Map();
			for (let i = 0; i < this.names.rows; i++) {
				const name = this.label(i);
				if (!this.byLabel.has(name))
					this.byLabel.set(name, []);
				this.byLabel.get(name).push(i);
			}
		}
		return this.byLabel.get(label) ?? [];
	}

	// Views name functions with parameters. null: the function is not in this run.
	numberOfFull(name) {
		if (!this.byFullName) {
			const full = this.functions?.texts("function") ?? (() => "");
			this.byFullName = new Map();
			for (let i = this.nrFunctions - 1; i >= 0; i--)
				this.byFullName.set(full(i), i);
		}
		return this.byFullName.get(name) ?? null;
	}

	// "mean" or "peak" of "CPU", "RSS" ... in the whole run, as in the text report, which knows more
	// than the samples; null: not known.
	resource(title, name) {
		const texts = this.resources?.texts("resource");
		const row = texts ? Array.from({ length: this.resources.rows },
			(_, i) => texts(i)).indexOf(title) : -1;
		return row < 0 ? null : this.resources.value(name, row);
	}

	find(name) {
		if (!name)
			return null;
		const [, label, place] = name.match(/^(.*)~(\d+)$/s) ?? [];
		return this.numbersOf(name)[0] ?? (label ? this.numbersOf(label)[place - 1] : null) ?? null;
	}

	async tree() {
		this.treeLoading ??= this.data.sheet("tree").then((sheet) => new Tree(sheet, this));
		return this.treeLoading;
	}

	async spans() {
		this.spansLoading ??= Spans.open(this.data, this);
		return this.spansLoading;
	}

	processName(number) {
		const rank = this.processes.numbers("rank")[number];
		const name =
			`${this.processes.texts("program")(number)} ${this.processes.numbers("pid")[number]}`;
		return Number.isNaN(rank) ? name : `rank ${rank}`;
	}

	threadName(number) {
		const name = this.threads.texts("name")(number);
		const tid = this.threads.numbers("tid")[number],
			shared = this.threads.numbers("threads")[number];
		if (shared > 1)		// one after the other
			return `${name} ${shared} threads`.trim();
		return name ? `${name} ${tid}` : `thread ${tid}`;
	}
}

const hues = [212, 28, 150, 280, 350, 185, 55, 320, 95, 245];

function hashOf(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return (hash ^ hash >>> 13) >>> 0;
}

// Call paths by number. 0 is the root; a caller has a lower number than what it calls.
export class Tree {
	constructor(sheet, model) {
		this.sheet = sheet;
		this.model = model;
		this.nr = sheet.rows;
		this.parent = Int32Array.from(sheet.numbers("parent"),
			(value) => Number.isNaN(value) ? -1 : value);
		// The parent in the same thread: that of a thread's part of a parallel region is the root.
		this.within = sheet.has("within") ? sheet.numbers("within") : this.parent;
		this.func = Int32Array.from(sheet.numbers("function"),
			(value) => Number.isNaN(value) ? -1 : value);
		this.child = new Int32Array(this.nr).fill(-1);
		this.next = new Int32Array(this.nr).fill(-1);
		for (let i = this.nr - 1; i > 0; i--) {
			this.next[i] = this.child[this.parent[i]];
			this.child[this.parent[i]] = i;
		}
	}

	numbers(name) {
		return this.sheet.numbers(name);
	}

	// Sums over all that is below each path, including the path.
	sums(own, above = this.parent) {
		const sums = Float64Array.from(own, (value) => value || 0);
		for (let i = this.nr - 1; i > 0; i--)
			sums[above[i]] += sums[i];
		return sums;
	}

	// Is a call of the path within another call of its function, in the same thread?
	isRecursion(node) {
		for (let above = this.within[node]; above > 0; above = this.within[above])
			if (this.func[above] === this.func[node])
				return true;
		return false;
	}

	path(node) {
		const path = [];
		for (; node > 0; node = this.parent[node])
			path.unshift(this.func[node]);
		return path;
	}

	// Of all calls; of samples: time on a processor, and time that threads waited for anything.
	get whole() {
		const { is_sampled: isSampled } = this.model.about, calls = this.numbers("calls");
		if (!isSampled)
			return { total: this.numbers("total_ns"), calls };
		const ready = this.numbers("ready_self_ns");
		return this.sampled ??= { calls, total: this.sums(this.numbers("sampled_self_ns")),
			waiting: this.sums(this.numbers("waiting_self_ns").map((ns, i) => ns + ready[i])) };
	}

	// The callers and callees of a function, counted as in the views of these names. @total, @calls,
	// @waiting: numbers by path.
	neighbours(number, { total, calls, waiting } = this.whole) {
		const callers = new Map(), callees = new Map();
		const add = (map, key, node) => {
			const entry = map.get(key) ?? { number: key, calls: 0, total: 0, waiting: 0 };
			entry.calls += calls[node];
			entry.total += total[node];
			entry.waiting += waiting?.[node] ?? 0;
			map.set(key, entry);
		};
		for (let i = 1; i < this.nr; i++) {
			if (!(total[i] > 0 || calls[i] > 0 || waiting?.[i] > 0))
				continue;
			if (this.func[i] === number)
				add(callers, this.func[this.parent[i]], i);
			if (this.func[this.parent[i]] === number && this.parent[i] > 0)
				add(callees, this.func[i], i);
		}
		const sorted = (map) => [...map.values()].sort((a, b) => b.total - a.total ||
			b.calls - a.calls || b.waiting - a.waiting);
		return { callers: sorted(callers), callees: sorted(callees) };
	}
}
