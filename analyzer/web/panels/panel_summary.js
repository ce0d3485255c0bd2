// SPDX-License-Identifier: GPL-3.0-or-later
// What matters first: what ran, how it went, where time and memory went, what is in doubt.
import { chart } from "../charts/chart.js";
import { bar, copyButton, h, link, ofWholeRun, replace } from "../base/dom.js";
import { figures, isCurve } from "../charts/series.js";
import { colourOf } from "../charts/shares.js";
import { set, state } from "../base/state.js";
import { mark } from "../base/table.js";
import { css } from "../base/theme.js";
import { exact, format, plural, within } from "../base/units.js";

const hottest = 10, processesMax = 6;
const tooShort =
	"There are fewer than two samples, so there is no curve: the run was shorter than the interval " +
	"(--interval=1ms takes more).";

function card(title, value, note, panel) {
	return h(panel ? "button.card" : "div.card", panel ?
		{ type: "button", onclick: () => set({ panel }) } : {},
		h("div.card-title", {}, title), h("div.card-value", {}, value),
			note ? h("div.card-note", {}, note) : null);
}

// Memory may have been higher between two samples; of the whole run its peak is known.
function memoryCard(title, model, sampled, peak, panel) {
	const sample = `largest sample, at ${within(sampled.peakAt, model.end)}`;
	return peak > sampled.peak ? card(title, format("bytes", peak),
		`peak; ${sample}: ${format("bytes", sampled.peak)}`, panel) :
		card(title, format("bytes", sampled.peak), sample, panel);
}

// The key figures, of the chosen time if there is one. @part: its single calls, as far as they are known.
function cards(app, part) {
	const { model, series } = app;
	const run = (name) => model.run?.value(name, 0);
	const of = (name) => {
		const exact = series.exact("process", name);
		return exact && figures(exact, app.from, app.to);
	};
	const ofWhole = (title, name) => state.to === undefined ? model.resource(title, name) : null;
	const cpu = of("cpu_ns"), rss = of("rss_bytes"), heap = of("heap_bytes");
	const list = [state.to !== undefined ? card("Chosen time", format("ns", app.to - app.from),
		`of ${format("ns", run("elapsed_ns"))}`) :
		card("Duration", format("ns", run("elapsed_ns")),
		`${plural(run("processes"), "process")}, ${plural(run("threads"), "thread")}`)];
	if (part)
		list.push(card("In functions", format("ns", part.covered),
			`${plural(part.functions.calls.reduce((sum, nr) => sum + nr, 0), "single call")} ` +
			`of ${plural(part.numbers().length, "function")}`, "functions"));
	else if (run("calls"))
		list.push(card("In functions", model.about.has_times ? format("ns", run("functions_ns")) :
			"not timed",
			`${plural(run("calls"), "call")} of ${plural(run("functions"), "function")}`,
				"functions"));
	if (cpu && Number.isFinite(cpu.mean))
		list.push(card("CPU", format("cores", ofWhole("CPU", "mean") ?? cpu.mean),
			`at most ${format("cores", ofWhole("CPU", "peak") ?? cpu.peak)}`, "timeline"));
	if (rss && Number.isFinite(rss.peak))
		list.push(memoryCard("Memory (RSS)", model, rss, ofWhole("RSS", "peak"), "timeline"));
	if (heap && Number.isFinite(heap.peak))
		list.push(memoryCard("Heap", model, heap, ofWhole("heap", "peak"), "memory"));
	return h("div.cards", {}, list);
}

// A line in a list of functions: a bar, figures, the name; a click selects the function.
function functionLine(app, number, share, figure, note) {
	const { model } = app;
	return h("button.hot", { type: "button", onclick: () => app.select(number, "functions"),
		title: model.functions.value("function", number) ?? model.label(number) },
		bar(share, model.colour(number)),
		h("span.hot-figure", {}, figure),
		h("span.hot-share", {}, format("percent", 100 * share)),
		h("span.hot-name", {}, model.label(number)),
		h("span.hot-note", {}, note));
}

function top(values, nr) {
	let sum = 0;
	const order = [];
	for (let i = 0; i < values.length; i++) {
		if (values[i] > 0)
			order.push(i);
		sum += values[i] || 0;
	}
	order.sort((a, b) => values[b] - values[a]);
	return { list: order.slice(0, nr), sum, values };
}

function source(model, number) {
	const file = model.functions.value("file", number);
	const line = model.functions.value("line", number);
	return file ? `${file.replace(/^.*\//, "")}${line ? `:${line}` : ""}` : model.module(number);
}

// In model.about: of all functions, those too whose own part is not known.
const totals = { self_ns: "functions_ns", self_cpu_ns: "cpu_ns", self_blocked_ns: "blocked_ns" };

// @numbers(column): of all functions; @all: how many there are
function hot(app, numbers, column, unit, title, note, count, all) {
	const { model } = app;
	if (!model.nrFunctions)
		return null;
	const { list, sum: known, values } = top(numbers(column).subarray(0, model.nrFunctions), count);
	const rest = all - list.length, marked = numbers(column) === model.functions.numbers(column);
	if (!list.length)
		return null;
	const left = known - list.reduce((shown, number) => shown + values[number], 0);
	const sum = marked ? model.about[totals[column]] ?? known : known;
	const calls = numbers("calls");
	return h("section.box", {}, h("h2", {}, title, h("span.h2-note", {}, note(sum))),
		h("div.hots", {}, list.map((number) => functionLine(app, number, values[number] / sum,
			(marked ? mark(model.functions, column, number) : "") + format(unit, values[number]),
			[column === "calls" || model.about.is_sampled ? "" : calls[number] ?
				plural(calls[number], "call") : "began before",
				source(model, number)].filter(Boolean).join(" · "))),
			rest > 0 ? h("div.hot.rest", {}, bar(left / sum, "var(--faint)"),
				h("span.hot-figure", {}, format(unit, left)),
				h("span.hot-share", {}, format("percent", 100 * left / sum)),
				link(`${exact("count", rest)} other function${rest === 1 ? "" : "s"}`,
					() => set({ panel: "functions", sort: column })), h("span")) : null));
}

// The processes or ranks with most time in functions (or most calls), if there are several.
function processes(app, part) {
	const { model } = app;
	const [unit, values] = part ? ["ns", part.processes.map((one) => one.functions_ns)] :
		model.about.has_times ? ["ns", model.processes.numbers("functions_ns")] :
			["count", model.processes.numbers("calls")];
	const order = Array.from(values, (_, i) => i).filter((i) => values[i] > 0).sort((a,
		b) => values[b] - values[a]);
	if (order.length < 2)
		return null;
	const sum = order.reduce((all, i) => all + values[i], 0), shown = order.slice(0, processesMax);
	return h("section.box", {}, h("h2", {}, "By process",
		h("span.h2-note", {},
		`${unit === "ns" ? "time in functions" : "calls"} of ${plural(order.length, "process")}; ` +
		`most has ${(order.length * values[order[0]] / sum).toFixed(2)} × the mean`)),
		h("div.hots", {}, shown.map((i) => h("div.hot", {}, bar(values[i] / sum, colourOf(i)),
			h("span.hot-figure", { title: exact(unit, values[i]) }, format(unit, values[i])),
			h("span.hot-share", {}, format("percent", 100 * values[i] / sum)),
				h("span.hot-name", {}, model.processName(i)),
				h("span.hot-note", {}, model.processes.texts("end")(i))))),
		link(order.length > shown.length ?
			`${order.length - shown.length} more, and how even functions are` :
			"how even functions are", () => set({ panel: "processes" })));
}

// A line that the text report arranges in columns, such as what a thread was in, without the padding.
const unpadded = (text) => /^ *\d+ {2}/.test(text) ? text.trim().replace(/ {2,}/g, " · ") : text;

// Lines that are set in, as the report prints flags and commands, are for pasting: they get a button.
function withCommands(text) {
	const parts = text.split(/((?:^ {2}\S.*(?:\n|$))+)/m).filter(Boolean);
	return parts.map((part) => {
		if (!/^ {2}\S/.test(part))
			return part;
		const lines = part.trimEnd().split("\n").map((line) => line.trim());
		return h("span.command-lines", {}, lines.join("\n"),
			copyButton(lines.join(lines[0][0] === "-" ? " " : "\n")));
	});
}

// The lines of the text report that appear nowhere else on this page.
function notes(app) {
	const apart = new Set(["Time", "Memory", "Next", "Doubts"]);
	const list = [];
	let label = "";
	for (const section of app.model.sections) {
		label = section.label || (section.label === "" ? label : section.text &&
			section.label === undefined ? "" : label);
		if (!section.text || apart.has(label))
			continue;
		if (section.label === undefined && !list.length)	// the path of the run, and its date
			list.push(["Run", section.text.split(/ {5}/)[0]]);
		else
			list.push([section.label ?? "", unpadded(section.text)]);
	}
	return h("section.box.side", {}, h("h2", {}, "The run"),
		h("dl.notes", {}, list.map(([name, text]) => [h("dt", {}, name), h("dd", {}, withCommands(text))])));
}

function doubts(app) {
	const list = [];
	let inside = false;
	for (const section of app.model.sections) {
		inside = section.label === "Doubts" || (inside && section.label === "");
		if (inside && section.text)
			list.push(section.text);
	}
	return h("section.box.side", {}, h("h2", {}, "How far to trust it"),
		list.length ? h("ul.doubts", {}, list.map((text) => h("li", {}, text))) :
			h("p.note", {}, "No finding puts the numbers in doubt."),
		link("all findings", () => set({ panel: "quality" })));
}

const curves = [
	["CPU", [["cpu_ns", "CPU", "--curve-cpu"]]],
	["Memory", [["rss_bytes", "RSS", "--curve-rss"], ["heap_bytes", "heap", "--curve-heap"]]],
];

function drawCurves(app, place) {
	place.replaceChildren();
	for (const [title, names] of curves) {
		const lines = names.map(([name, label, colour]) => {
			const total = app.series.total("process", name, app.from, app.to, 600);
			return isCurve(total) ? { ...total, label, colour: css(colour),
				fill: `${css(colour)}22` } : null;
		}).filter(Boolean);
		if (!lines.length)
			continue;
		const box = h("div.curve", {}, h("div.curve-title", {}, title,
			lines.length < 2 ? null : lines.map((line) =>
			h("span.key", {}, h("span.dot", { style: { background: line.colour } }),
				line.label))));
		place.append(box);
		chart(box, { lines, height: 116, from: app.from, to: app.to,
			onSelect: (from, to) => app.setTime(from, to) });
	}
}

function drawFunctions(app, part, place) {
	const { model } = app;
	const numbers = (name) => part?.functions[name] ?? model.functions.numbers(name);
	const nr = part ? part.numbers().length : model.nrFunctions;
	const sampled = (column, title, what) => hot(app, numbers, column, "ns", title,
		(sum) => `${format("ns", sum)} ${what}, over all threads, by samples`, hottest,
			numbers(column).filter((ns) => ns > 0).length);
	const used = (column, title, what) => hot(app, numbers, column, "ns", title,
		(sum) => `${format("ns", sum)} ${what}, over all threads`, hottest, nr);
	const waits = !part && model.about.is_by_cpu;	// as in text, which sorts by it then
	const time = waits ? [used("self_cpu_ns", "Where threads ran", "on a processor"),
		used("self_blocked_ns", "Where threads waited", "blocked")] : model.about.is_sampled ? [
		sampled("sampled_self_ns", "Where threads ran", "on a processor"),
		model.functions?.has("waiting_self_ns") ?
			sampled("waiting_self_ns", "Where threads waited", "of waiting") : null] :
		model.about.has_times ? hot(app, numbers, "self_ns", "ns", "Where the time went",
		(sum) => part ? `${format("ns", sum)} of self time within the chosen time` :
			`${format("ns", sum)} of self time, over all threads`, hottest, nr) :
		hot(app, numbers, "calls", "count", "What was called",
			(sum) => `${format("count", sum)} calls; they were not timed`, hottest, nr);
	replace(place, time ?? (part ? h("section.box", {}, h("h2", {}, "Where the time went"),
		h("p.note", {}, "No recorded single call is within the chosen time.")) : null),
		processes(app, part));
}

export function makeSummary(app) {
	const { model } = app;
	const place = h("div.curves"), figuresPlace = h("div"), functionsPlace = h("div.column");
	const memory = model.about.has_heap && model.nrFunctions ?
		hot(app, (name) => model.functions.numbers(name), "alloc_bytes", "bytes", "Who allocated",
		(sum) => [`${format("bytes", sum)} in all calls`, ofWholeRun()], 6,
			model.functions.numbers("alloc_bytes").filter((bytes) => bytes > 0).length) : null;
	const none = model.nrFunctions ? null : h("section.box", {}, h("h2", {}, "No functions"),
		model.sections.filter((section) => section.label === "Time").map((section) => h("p.pre", {},
			section.text)));
	const over = h("section.box", {}, h("h2", {}, "Over time"), place);
	const element = h("div.summary", {}, figuresPlace,
		h("div.columns", {}, h("div.column", {}, none, functionsPlace, over, memory),
			h("div.column.narrow", {}, notes(app), doubts(app))));
	const draw = () => {
		drawCurves(app, place);
		if (!place.childElementCount)
			place.append(h("p.note", {}, tooShort));
	};
	const drawAll = async () => {
		draw();
		const part = await app.part();
		replace(figuresPlace, cards(app, part));
		drawFunctions(app, part, functionsPlace);
	};
	let timer = 0;
	new ResizeObserver(draw).observe(place);
	return { element, shown: drawAll, update: (changed) => {
		if (!["from", "to", "whole"].some((name) => changed.has(name)))
			return;
		draw();
		clearTimeout(timer);
		timer = setTimeout(drawAll, 120);
	} };
}
