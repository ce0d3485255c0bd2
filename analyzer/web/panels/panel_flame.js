// SPDX-License-Identifier: GPL-3.0-or-later
// Call paths as a flame graph, or turned around: by time, calls, allocations, and what of these lived at
// the peak or to the end.
import { h, link, replace } from "../base/dom.js";
import { Flame } from "../charts/flame.js";
import { frames } from "../charts/frames.js";
import { set, state } from "../base/state.js";
import { exact, format } from "../base/units.js";

// What a path has of its own. Metrics whose column is missing or 0 throughout are not offered.
export const metrics = [
	{ name: "time", title: "Time", column: "self_ns", unit: "ns", all: "all time in functions" },
	{ name: "cpu", title: "On CPU", column: "cpu_self_ns", unit: "ns",
		all: "all time in functions on a processor" },
	{ name: "blocked", title: "Blocked", column: "blocked_self_ns", unit: "ns",
		all: "all time in functions that was blocked" },
	{ name: "ready", title: "Ready", column: "wait_self_ns", unit: "ns",
		all: "all time in functions that waited for a processor" },
	{ name: "cpu", title: "On CPU", column: "sampled_self_ns", unit: "ns",
		all: "all time on a processor, by samples" },
	{ name: "waiting", title: "Waiting", column: "waiting_self_ns", unit: "ns",
		all: "all time that threads waited, by samples" },
	{ name: "ready", title: "Ready", column: "ready_self_ns", unit: "ns",
		all: "all time that threads waited for a processor, by samples" },
	{ name: "calls", title: "Calls", column: "calls", unit: "count", all: "all calls" },
	{ name: "peak", title: "Live at the peak", column: "peak_heap_bytes", unit: "bytes",
		all: "the heap at its peak" },
	{ name: "leaked", title: "Not freed", column: "not_freed_bytes", unit: "bytes",
		all: "all that was not freed" },
	{ name: "alloc", title: "Allocated", column: "alloc_bytes", unit: "bytes",
		all: "all that functions allocated" },
	{ name: "allocs", title: "Allocations", column: "alloc_calls", unit: "count",
		all: "all allocations in functions" },
	{ name: "temporary", title: "Temporary", column: "temporary_calls", unit: "count",
		all: "all temporary allocations" },
];

export function metricsOf(tree) {
	return metrics.filter(({ column }) => [column, `before_${column}`].some((name) =>
		tree.sheet.has(name) && tree.numbers(name).some((value) => value > 0)));
}

// The share of a function, wherever it is on a path: that of its outermost frames.
function shareOf(root, matches) {
	let sum = 0;
	const todo = [root];
	while (todo.length) {
		const frame = todo.pop();
		if (frame.func >= 0 && matches(frame))
			sum += frame.value;
		else if (frame.value > root.value / 5000)
			todo.push(...frame.children());
	}
	return root.value ? sum / root.value : 0;
}

// The figure shown for a frame. For time it is that of csv: of the path, or of the function if callees come
// first. The drawn widths are sums of what paths have of their own; where the hooks' cost was subtracted,
// these may be slightly larger.
export function figureOf(tree, metric, frame) {
	const { model } = tree;
	if (metric.name !== "time")
		return frame.value;
	if (frame.func < 0)
		return model.about.functions_ns;
	if (frame.node !== undefined)
		return tree.numbers("total_ns")[frame.node];
	return frame.parent.parent || frame.func >= model.nrFunctions ? frame.value :
		model.functions.numbers("self_ns")[frame.func] || 0;
}

export function describeFrame(model, metric, root, figure, inverse) {
	return (frame) => {
		const value = figure(frame);
		return [frame.func < 0 ? metric.all : model.label(frame.func),
			[metric.title.toLowerCase(),
				`${exact(metric.unit, value)}  ` +
				`(${format("percent", 100 * value / figure(root))} of ${metric.all})`],
			["drawn as", Math.abs(frame.value - value) > value / 1000 + 1 ?
				exact(metric.unit, frame.value) : ""],
			["own", inverse || !frame.parent || frame.own === frame.value ? "" :
				exact(metric.unit, frame.own)],
			["in", frame.func < 0 ? "" : model.module(frame.func)]].filter((line) =>
				!Array.isArray(line) || line[1]);
	};
}

// More than in the other run is red, less is blue. What only one run has gets the strongest colour.
export function changeColour(now, before) {
	const change = (now - before) / Math.max(now, before, 1);
	const strength = Math.min(1, Math.abs(change));
	return strength < 0.02 ? "hsl(220 10% 80%)" :
		`hsl(${change > 0 ? 8 : 212} ${40 + 45 * strength}% ${84 - 20 * strength}%)`;
}

const button = (text, pressed, onclick, title) => h("button.button",
	{ type: "button", onclick, title: title ?? "", "aria-pressed": String(pressed) }, text);

class FlamePanel {
	constructor(app) {
		this.app = app;
		this.bar = h("div.toolbar");
		this.way = h("div.way");
		this.search = h("input", { type: "search", placeholder: "Search  ( / )",
			"aria-label": "search frames", value: state.q ?? "",
			oninput: () => set({ q: this.search.value }) });
		this.found = h("span.note");
		this.flame = new Flame({ model: app.model, label: "flame graph",
			describe: (frame) => this.describe(frame), onZoom: (frame) => this.zoomed(frame),
			colour: (frame) => this.compares ? changeColour(...this.bothOf(frame)) : null });
		this.element = h("div.flame", {}, this.bar, this.way,
			h("div.box.flame-box", {}, this.flame.element));
		this.load();
	}

	async load() {
		const { app } = this;
		this.tree = await app.model.tree();
		this.offered = metricsOf(this.tree);
		if (!this.offered.length) {
			replace(this.element,
				h("div.empty", {}, "No calls were recorded, so there are no call paths."));
			return;
		}
		this.build();
	}

	get metric() {
		return this.offered.find((one) => one.name === state.m) ?? this.offered[0];
	}

	// For a part of the time, only single calls are known.
	get isPart() {
		return Boolean(this.part) && /time|calls/.test(this.metric.name);
	}

	// Whether two runs are compared; not for a chosen part of the time, which is not known of the
	// earlier run.
	get compares() {
		return this.tree.sheet.has(`before_${this.metric.column}`) && state.plain !== "1" &&
			!this.isPart;
	}

	get isEarlier() {
		return this.compares && state.side === "before";
	}

	// The figures of a frame in the later run and in the earlier one.
	bothOf(frame) {
		return this.isEarlier ? [frame.other, frame.value] : [frame.value, frame.other];
	}

	figure(frame) {
		return this.isPart || this.isEarlier ? frame.value : figureOf(this.tree, this.metric, frame);
	}

	async build() {
		const part = await this.app.part();
		const { metric, tree } = this;
		this.part = part;
		let own = tree.numbers(metric.column);
		let other = this.compares ? tree.numbers(`before_${metric.column}`) : null;
		if (this.isEarlier)
			[own, other] = [other, own];
		this.note = this.compares ? "red: more than before, blue: less, grey: the same" : "";
		if (this.isPart)
			own = metric.name === "calls" ? part.calls : part.own;
		else if (part)
			this.note = "of the whole run: for a part of it, only time and calls are known";
		const root = frames(tree, own, state.inv === "1", other);
		let zoom = root;
		if (state.inv !== "1" && state.z)
			zoom = this.frameOf(root, Number(state.z));
		this.root = root;
		if (metric.name === "time" && !this.isPart && !this.isEarlier &&
			root.value > this.figure(root) * 1.001)
			this.note =
				`paths with less time than the hooks' cost that was subtracted are drawn ` +
					`as 0: widths sum to ${format("ns", root.value)}, functions have ` +
					`${format("ns", this.figure(root))}`;
		this.flame.up = state.up === "1";
		this.flame.title = `${metric.all}: ${format(metric.unit, this.figure(root))}`;
		this.drawBar();
		this.highlight();
		this.flame.setRoot(root, zoom);
		this.drawWay();
	}

	frameOf(root, node) {
		const path = [];
		for (; node > 0; node = this.tree.parent[node])
			path.unshift(node);
		let frame = root;
		for (const one of path)
			frame = frame.children().find((child) => child.node === one) ?? frame;
		return frame;
	}

	drawBar() {
		const { metric } = this;
		replace(this.bar,
			h("div.group", { role: "group", "aria-label": "what widths stand for" },
				this.offered.map((one) => button(one.title, one === metric,
				() => set({ m: one.name, z: undefined })))),
			h("div.group", { role: "group", "aria-label": "direction" },
				button("Callers first", state.inv !== "1",
					() => set({ inv: undefined, z: undefined }),
					"callers above what they call"),
				button("Callees first", state.inv === "1",
					() => set({ inv: "1", z: undefined }),
					"each function by what it has of its own, with its callers below")),
			button(state.up === "1" ? "Root below" : "Root above", false,
				() => set({ up: state.up === "1" ? undefined : "1" })),
			...this.sides(), this.search, this.found);
	}

	sides() {
		if (!this.tree.sheet.has(`before_${this.metric.column}`) || this.isPart)
			return [];
		return [h("div.group", { role: "group", "aria-label": "colours" },
			button("Change", this.compares, () => set({ plain: undefined }),
				"red: more than before, blue: less, grey: the same"),
			button("Functions", !this.compares, () => set({ plain: "1" }),
				"a colour for each function")),
		this.compares ? h("div.group", { role: "group",
			"aria-label": "which run sets the widths" },
			button("Before", this.isEarlier, () => set({ side: "before", z: undefined }),
				"widths as in the earlier run"),
			button("After", !this.isEarlier, () => set({ side: undefined, z: undefined }),
				"widths as in the later run")) : null];
	}

	highlight() {
		const text = (state.q ?? "").toLowerCase();
		const selected = this.app.selected;
		this.flame.matches = text ? (frame) => frame.func >= 0 &&
			this.app.model.label(frame.func).toLowerCase().includes(text) :
			selected !== null ? (frame) => frame.func === selected : null;
		this.found.textContent = this.flame.matches ?
			`${text ? "found in" : "the chosen function is in"} ` +
			`${format("percent", 100 * shareOf(this.root, this.flame.matches))}` : this.note;
	}

	describe(frame) {
		const { metric } = this;
		const lines = describeFrame(this.app.model, metric, this.root, (one) => this.figure(one),
			state.inv === "1")(frame);
		if (!this.compares)
			return lines;
		const [now, before] = this.bothOf(frame), change = now - before, sign = change > 0 ? "+" : "";
		const percent = before ? `${sign}${(100 * change / before).toFixed(1)} %` : "new";
		return [...lines, ["before", exact(metric.unit, before) || "0"],
			["after", exact(metric.unit, now) || "0"],
			["change", `${sign}${exact(metric.unit, change)}  (${percent})`]];
	}

	zoomed(frame) {
		set({ z: state.inv !== "1" && frame.node > 0 ? String(frame.node) : undefined });
		this.drawWay();
	}

	// The way to the zoomed frame, to click back.
	drawWay() {
		const frame = this.flame.zoom;
		const list = [];
		for (let one = frame; one; one = one.parent)
			list.unshift(one);
		const shown = list.length > 7 ? [...list.slice(0, 2), null, ...list.slice(-4)] : list;
		replace(this.way, shown.map((one, i) => [i ? h("span.faint", {}, "›") : null,
			one === null ? h("span.faint", {}, `${list.length - 6} more`) :
				link(one.func < 0 ? "all" : this.app.model.label(one.func),
					() => this.flame.zoomTo(one))]),
		frame.func >= 0 ?
			h("span.note", {},
			` ${format(this.metric.unit, this.figure(frame))}, ` +
			`${format("percent", 100 * this.figure(frame) / this.figure(this.root))} of all `) :
			null,
		frame.func >= 0 && frame.func < this.app.model.nrFunctions ?
			link("this function", () => this.app.select(frame.func, "functions"),
			{ className: "button" }) : null);
	}

	update(changed) {
		if (!this.offered?.length)
			return;
		if (["m", "inv", "plain", "side"].some((name) => changed.has(name)) || changed.has("up") ||
			changed.has("whole") || ((changed.has("from") || changed.has("to")) &&
			state.whole !== "1")) {
			clearTimeout(this.timer);
			this.timer = setTimeout(() => this.build(),
				changed.has("from") || changed.has("to") ? 120 : 0);
		} else if (changed.has("q") || changed.has("f")) {
			this.highlight();
			this.flame.draw();
		}
	}

	shown() {
		this.search.value = state.q ?? "";
		if (this.offered?.length)
			this.build();
	}

	key(event) {
		return event.key === "Escape" && this.flame.back();
	}
}

export const makeFlame = (app) => new FlamePanel(app);
