// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of all threads over time, below curves of what these used, on the same axis.
import { chart, tellValues } from "../charts/chart.js";
import { h, replace } from "../base/dom.js";
import { gutter, Lanes, stateColours } from "../charts/lanes.js";
import { Marks } from "../charts/marks.js";
import { set, state } from "../base/state.js";
import { States } from "../base/states.js";
import { css } from "../base/theme.js";
import { exact, format } from "../base/units.js";

const ownMax = 4;

const usual = [
	{ title: "CPU", columns: [["process", "cpu_ns", "CPU", "--curve-cpu"]] },
	{ title: "Memory", columns: [["process", "rss_bytes", "RSS", "--curve-rss"],
		["process", "heap_bytes", "heap", "--curve-heap"]], less: "not heap" },
	{ title: "I/O", columns: [["process", "read_bytes", "read", "--curve-io"],
		["process", "write_bytes", "written", "--curve-other"]] },
];

// The curves shown by default: also those of devices, and of the program's own counters (insideme.h).
function usualOf(app) {
	const found = new Map();
	for (const { set: setName, column } of app.series.list)
		if (setName === "counter" || (/^gpu\d+$/.test(setName) && column === "gpu_percent"))
			found.set(`${setName}/${column}`, { title: setName === "counter" ? column :
				setName.toUpperCase(),
				columns: [[setName, column, setName === "counter" ? "counted" : "busy",
					setName === "counter" ? "--curve-other" : "--curve-cpu"]] });
	return [...usual, ...[...found.values()].slice(0, ownMax)];
}

// The chosen curves, or those of the default that have something to show.
function chosen(app) {
	const extra = (state.curves ?? "").split(",").filter(Boolean).map((name) => {
		const setName = name.slice(0, name.indexOf("/")), column = name.slice(setName.length + 1);
		return { title: column.replace(/_(ns|bytes)$/, "").replaceAll("_", " "),
			columns: [[setName, column, column, "--curve-other"]], extra: name };
	});
	return [...usualOf(app), ...extra].filter((one) =>
		one.columns.some(([setName, column]) => app.series.find(setName, column).length));
}

function linesOf(app, one, nr) {
	const lines = one.columns.map(([setName, column, label, colour]) => {
		const total = app.series.total(setName, column, app.from, app.to, nr);
		return total && total.x.length > 1 ? { ...total, label, colour: css(colour),
			fill: `${css(colour)}1c` } : null;
	}).filter(Boolean);
	// a heap of pages that were never touched is larger than the RSS: then the difference says nothing
	if (one.less && lines.length === 2 && lines[0].x.length === lines[1].x.length &&
		lines[0].y.every((value, i) => !(value < lines[1].y[i])))
		lines.push({ ...lines[0], label: one.less, colour: css("--curve-other"), fill: undefined,
			y: lines[0].y.map((value, i) => value - lines[1].y[i]) });
	return lines;
}

class Curves {
	constructor(app) {
		this.app = app;
		this.element = h("div.timeline-curves");
	}

	make() {
		this.plots = [];
		this.width = this.element.clientWidth;
		replace(this.element);
		for (const one of chosen(this.app)) {
			const lines = linesOf(this.app, one, 600);
			if (!lines.length)
				continue;
			const box = h("div.timeline-curve", {}, h("div.timeline-key", {},
				h("b", {}, one.title),
				lines.map((line) => h("span.key", {}, h("span.dot",
					{ style: { background: line.colour } }), line.label,
					h("span.now", {}))),
				one.extra ? h("button.link", { type: "button",
					onclick: () => this.drop(one.extra) }, "remove") : null));
			this.element.append(box);
			const plot = chart(box, { lines, height: 44 + 18 * lines.length + (lines.length < 2 ?
				18 : 0), from: this.app.from, to: this.app.to, axis: false, gutter,
				width: this.width, onSelect: (from, to) => this.app.setTime(from, to) });
			tellValues(plot, box, lines);
			this.plots.push({ plot, one });
		}
	}

	drop(name) {
		set({ curves: (state.curves ?? "").split(",").filter((one) => one !== name).join(",") });
	}

	move() {
		for (const { plot } of this.plots)
			plot.setScale("x", { min: this.app.from, max: this.app.to });
		clearTimeout(this.timer);
		if (this.app.model.processes.rows > 1)	// sums are made in steps of what is shown
			this.timer = setTimeout(() => this.make(), 250);
	}
}

function chooser(app) {
	const names = new Map(), shown = usualOf(app);
	for (const series of app.series.list)
		if (!shown.some((one) => one.columns.some(([setName, column]) => setName === series.set &&
			column === series.column)))
			names.set(`${series.set}/${series.column}`,
				`${series.column.replaceAll("_", " ")} (${series.set})`);
	if (!names.size)
		return null;
	const select = h("select", { "aria-label": "add a curve", onchange: () => {
		const list = (state.curves ?? "").split(",").filter(Boolean);
		if (select.value && !list.includes(select.value))
			set({ curves: [...list, select.value].join(",") });
		select.value = "";
	} }, h("option", { value: "" }, "add a curve…"), [...names].sort((a,
		b) => a[1].localeCompare(b[1])).map(([value, text]) => h("option", { value }, text)));
	return select;
}

function noteOf(spans, model) {
	const { calls, merged_calls: merged, short_ns: short } = spans.about;
	if (!model.nrFunctions)
		return "No functions were recorded, so there are no calls (compile with insideme-cc): below is " +
			"what threads did.";
	if (!calls && model.about.is_sampled)
		return spans.about.samples ? `${exact("count", spans.about.samples)} samples: where a thread was, not ` +
			"how often it was called" : "No samples were taken: below is what threads did.";
	if (!calls)
		return "No call lasted long enough to be recorded singly; INSIDEME_THRESHOLD=0 records " +
			"all calls.";
	const all = model.run?.value("calls", 0) ?? 0;
	const text = `${exact("count", calls)} of ${exact("count", all)} calls were recorded singly`;
	return merged ?
		`${text}; ${exact("count", merged)} shorter than ${format("ns", short)} are merged, with ` +
			`exact sums` : text;
}

export function makeTimeline(app) {
	const place = h("div.timeline-lanes", {}, h("div.empty", {}, "reading the calls…"));
	const note = h("span.note"), legend = h("span.note.timeline-states");
	const curves = new Curves(app);
	const size = h("button.button", { type: "button", title: "how tall calls are drawn", onclick: () => {
		lanes.compact = !lanes.compact;
		lanes.open.clear();
		lanes.layOut();
		redraw();
	} }, "tall or flat");
	const element = h("div.timeline", {}, h("div.toolbar", {}, chooser(app), size, legend, note), curves.element,
		place);
	let lanes = null, frame = 0;

	const draw = () => {
		frame = 0;
		lanes?.draw();
	};
	const redraw = () => { frame ||= requestAnimationFrame(draw); };
	const resize = () => {
		if (element.clientWidth && curves.width !== curves.element.clientWidth)
			curves.make();
		redraw();
	};
	new ResizeObserver(resize).observe(place);
	(async () => {
		const spans = await app.model.spans();
		note.textContent = noteOf(spans, app.model);
		lanes = new Lanes(app, spans, redraw, await States.open(app.model.data));
		if (lanes.states?.threads.size)
			legend.append("threads: ", ...stateColours.map(({ name, colour }) => h("span.key", {},
				h("span.dot", { style: { background: css(colour) } }), name)));
		lanes.marks = await Marks.open(app);
		replace(place, lanes.element);
		app.lanes = lanes;
		redraw();
	})();
	return {
		element, curves,
		shown: () => { curves.make(); redraw(); },
		update: (changed) => {
			if (changed.has("curves"))
				curves.make();
			if (changed.has("from") || changed.has("to"))
				curves.move();
			redraw();
		},
	};
}
