// SPDX-License-Identifier: GPL-3.0-or-later
// Every function with all columns, sorted and searched. For the chosen one: its callers, its callees, and
// how long it takes.
import { bar, h, link, ofWholeRun, replace, svg } from "../base/dom.js";
import { set, state } from "../base/state.js";
import { apart, columnOf, mark, Table } from "../base/table.js";
import { exact, format } from "../base/units.js";

// Where threads mostly wait, as in text.
const firstByCpu = ["self_cpu_ns", "self_wait_ns", "self_blocked_ns", "self_ns", "total_ns", "calls", "mean_ns",
	"p50_ns", "alloc_bytes"];
const first = ["self_ns", "self_percent", "total_ns", "calls", "mean_ns", "p50_ns", "max_ns", "alloc_bytes"];
const firstOfSamples = ["sampled_self_ns", "samples_percent", "sampled_total_ns", "waiting_self_ns",
	"waiting_total_ns", "ready_self_ns", "alloc_bytes"];

// As text does: ≤ where it may be less.
function percentile(sheet, number, name) {
	const column = `${name}_ns`;
	return mark(sheet, column, number) + format("ns", sheet.numbers(column)[number]);
}

// p50, p90 and p99, on a logarithmic scale from the shortest to the longest of all functions.
function percentileBar(sheet, number, range) {
	const [low, high] = range;
	const place = (value) => 100 * (Math.log(Math.max(value, low)) - Math.log(low)) /
		(Math.log(high) - Math.log(low) || 1);
	const p = ["p50_ns", "p90_ns", "p99_ns"].map((name) => sheet.numbers(name)[number]);
	if (Number.isNaN(p[0]))
		return "";
	const title = ["p50", "p90", "p99"].map((name) => `${name} ${percentile(sheet, number, name)}`).join(", ");
	return h("span.percentiles", { title, "aria-label": title },
		h("span.percentile-line", { style: { left: `${place(p[0])}%`,
			width: `${Math.max(1, place(p[2]) - place(p[0]))}%` } }),
		h("span.percentile-p90", { style: { left: `${place(p[1])}%` } }),
		h("span.percentile-p50", { style: { left: `${place(p[0])}%` } }));
}

function range(sheet) {
	let low = Infinity, high = 1;
	const p50 = sheet.numbers("p50_ns"), p99 = sheet.numbers("p99_ns");
	for (let i = 0; i < p50.length; i++) {
		if (p50[i] > 0 && p50[i] < low)
			low = p50[i];
		if (p99[i] > high)
			high = p99[i];
	}
	return [Math.max(1, low === Infinity ? 1 : low), high];
}

function columnsOf(app, all) {
	const sheet = app.model.functions;
	const worth = (name) => sheet.has(name) && sheet.numbers(name).some((value) => value > 0);
	const least = range(sheet);
	const name = columnOf(sheet, "function", {
		title: "Function", width: 230, grow: 3,
		show: (row) => h("span.name", { title: sheet.value("function", row) },
			h("span.dot", { style: { background: app.model.colour(row) } }),
			app.model.label(row)),
	});
	const names = all ? sheet.columns.map((column) => column.name) :
		app.model.about.is_sampled ? firstOfSamples :
			app.model.about.is_by_cpu ? firstByCpu : first;
	const shown = names.filter((one) => one !== "function" && worth(one)).map((one) => {
		if (one === "p50_ns" && !all)
			return columnOf(sheet, one, { title: "p50 · p90 · p99",
				hint: "half, nine tenths, 99 of 100 calls take at most this long; " +
					"logarithmic",
				width: 120, show: (row) => percentileBar(sheet, row, least) });
		if (one === (app.model.about.is_sampled ? "samples_percent" : "self_percent"))
			return columnOf(sheet, one, { title: one === "self_percent" ? "of self time" : "of all",
				show: (row) => h("span.share", {},
				bar(sheet.numbers(one)[row] / 100, app.model.colour(row)),
				format("percent", sheet.numbers(one)[row])) });
		return columnOf(sheet, one, { hint: hints[one], ...(one === "self_blocked_ns" ? { width: 112 } : {}) });
	});
	return apart([name, ...shown, ...all ? [] : [sourceColumn(app)]]);
}

// For a part of the time: what single calls say.
function columnsOfPart(app, { functions }) {
	const whole = columnsOf(app, false);
	const all = functions.self_ns.reduce((sum, value) => sum + value, 0);
	const number = (key, unit, title, hint) => ({ key, title, hint, value: (row) => functions[key][row],
		show: (row) => h("span", { title: exact(unit, functions[key][row]) },
			format(unit, functions[key][row])) });
	return [whole[0], number("self_ns", "ns", "Self", "within the chosen time, as recorded"),
		{ key: "self_percent", title: "of self time", width: 100,
			value: (row) => functions.self_ns[row],
			show: (row) => h("span.share", {}, bar(functions.self_ns[row] / all,
				app.model.colour(row)), format("percent",
				all ? 100 * functions.self_ns[row] / all : 0)) },
		number("total_ns", "ns", "Total", "within the chosen time, including what it calls"),
			number("calls", "count", "Calls", "single calls that begin within the chosen time"),
			whole.at(-1)];
}

const hints = {
	self_cpu_ns: "in the function itself, on a processor", self_blocked_ns: "in the function itself, blocked",
	self_wait_ns: "in the function itself, ready to run, while other threads had the processors",
	self_ns: "in the function itself", total_ns: "including what it calls; a recursion counts once",
	calls: "finished and open", mean_ns: "of one call, including what it calls",
		max_ns: "the longest call",
	alloc_bytes: "allocated by the function itself",
	sampled_self_ns: "on a processor, in the function itself, by samples",
	sampled_total_ns: "on a processor, including what it calls; a recursion counts once",
	waiting_self_ns: "waiting in the function itself",
	waiting_total_ns: "waiting, including what it calls; a recursion counts once",
	ready_self_ns: "ready to run, while other threads had the processors",
};
const facts = [["calls", "calls"], ["self_ns", "self"], ["total_ns", "total"], ["mean_ns", "mean"],
	["stddev_ns", "deviation"], ["min_ns", "shortest"], ["p50_ns", "p50"], ["p90_ns", "p90"],
	["p99_ns", "p99"], ["max_ns", "longest"], ["open_calls", "still open"],
	["alloc_calls", "allocations"], ["alloc_bytes", "allocated"], ["freed_bytes", "freed"],
	["largest_alloc_bytes", "largest"]];
const factsOfSamples = [["samples", "samples"], ["sampled_self_ns", "self CPU"], ["sampled_total_ns", "CPU"],
	["waiting_self_ns", "self waiting"], ["waiting_total_ns", "waiting"], ["ready_self_ns", "self ready"],
	["ready_total_ns", "ready"]];

function sourceColumn(app) {
	const sheet = app.model.functions;
	const text = (row) => {
		const file = sheet.value("file", row), line = sheet.value("line", row);
		return file ? `${file.replace(/^.*\//, "")}${line ? `:${line}` : ""}` : app.model.module(row);
	};
	return { key: "source", title: "Source", left: true, width: 150, value: text };
}

// Buckets of powers of two as bars, with both axes labelled.
export function histogram(model, number, width = 420, height = 120) {
	const { names } = model;
	const of = names.numbers("histogram_function"), bucket = names.numbers("histogram_bucket"),
		calls = names.numbers("histogram_calls");
	const unit = names.numbers("histogram_unit_ns")[number];
	const list = [];
	let low = 0, high = of.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (of[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	for (let i = low; i < of.length && of[i] === number; i++)
		list.push([bucket[i], calls[i]]);
	if (!list.length)
		return null;
	const begin = list[0][0], nr = list.at(-1)[0] - begin + 1, most = Math.max(...list.map(([, n]) => n));
	const step = Math.min(56, width / nr), room = height - 22;
	const picture = svg("svg", { width: step * nr + 2, height, role: "img",
		"aria-label": "calls by how long they took" });
	for (const [at, n] of list) {
		const tall = Math.max(2, room * n / most);
		const rect = svg("rect", { x: (at - begin) * step + 1, y: room - tall,
			width: Math.max(1, step - 2), height: tall, rx: 2, class: "hist" },
			svg("title", {},
				`${exact("count", n)} calls of ${format("ns", unit * 2 ** at)} to ` +
				`${format("ns", unit * 2 ** (at + 1))}`));
		picture.append(rect);
	}
	const every = Math.ceil(nr * 52 / (step * nr));
	for (let i = 0; i < nr; i += every)
		picture.append(svg("text", { x: i * step + 1, y: height - 6, class: "hist-text" },
			format("ns", unit * 2 ** (begin + i))));
	return picture;
}

const weight = (entry) => entry.total + entry.waiting;
// What stands beside the time of calls, or the time on a processor.
const noteOf = (entry) => entry.calls ? `${format("count", entry.calls)} ×` :
	entry.waiting ? `${format("ns", entry.waiting)} waiting` : "";

function neighbourList(app, title, list, whole) {
	const shown = list.slice(0, 40), { has_times: timed, is_sampled: sampled } = app.model.about;
	return h("div.neighbours", {}, h("h3", {}, title),
		shown.length ? shown.map((entry) => h("button.neighbour", {
		type: "button", disabled: entry.number < 0, onclick: () => app.select(entry.number),
		title: entry.number < 0 ? "" : app.model.label(entry.number),
	}, bar(whole ? weight(entry) / whole : 0, entry.number < 0 ? "" : app.model.colour(entry.number)),
	h("span.hot-figure", {}, timed || sampled ? format("ns", entry.total) || "0" : ""),
		h("span.hot-note", {}, noteOf(entry)),
	h("span.hot-name", {}, entry.number < 0 ? "the thread's start" : app.model.label(entry.number)))) :
		h("p.note", {}, "none"),
	list.length > shown.length ? h("p.note", {}, `${list.length - shown.length} more`) : null);
}

async function detail(app, place, number, part) {
	const { model } = app;
	const sheet = model.functions;
	const tree = await model.tree();
	if (app.selected !== number)
		return;
	const { callers, callees } = part ? tree.neighbours(number, part) : tree.neighbours(number);
	const ofPart = (name, unit, title) => h("div", {}, h("dt", {}, title),
		h("dd", { title: exact(unit, part.functions[name][number]) },
		format(unit, part.functions[name][number]) || "0"));
	const fact = (name, title) => {
		const about = sheet.columns.find((column) => column.name === name);
		const value = sheet.value(name, number);
		return value === null || value === 0 || number >= model.nrFunctions ? null :
			h("div", {}, h("dt", {}, title), h("dd", { title: exact(about.unit, value) },
				mark(sheet, name, number) + format(about.unit, value)));
	};
	const file = number < model.nrFunctions ? sheet.value("file", number) : null;
	replace(place, h("div.detail-head", {}, h("h2", {},
		h("span.dot", { style: { background: model.colour(number) } }), model.label(number)),
		h("button.icon", { type: "button", "aria-label": "close", onclick: () => app.select(null) },
			"✕")),
	h("p.signature", {}, number < model.nrFunctions ? sheet.value("function", number) : ""),
	h("p.note", {},
		[model.module(number),
		file && `${file}:${sheet.value("line", number) ?? ""}`].filter(Boolean).join(" · ")),
	part ? [h("dl.facts-list", {}, ofPart("calls", "count", "calls"), ofPart("self_ns", "ns", "self"),
		ofPart("total_ns", "ns", "total")), h("h3", {}, "All of it", ofWholeRun())] : null,
	h("dl.facts-list", {}, [...model.about.is_sampled ? factsOfSamples : [], ...facts].map(([name,
		title]) => fact(name, title))),
	h("div.actions", {}, link("in the flame graph", () => set({ panel: "flame" }),
		{ className: "button" }),
		link("in the timeline", () => set({ panel: "timeline" }), { className: "button" }),
		file && model.data.names().includes("source") ?
			link("in the source", () => set({ panel: "source", file: undefined }),
			{ className: "button" }) : null),
	model.about.is_sampled ? null : [h("h3", {}, "How long its calls take", ofWholeRun()),
		histogram(model, number, place.clientWidth - 40) ?? h("p.note", {}, "no call was timed")],
	neighbourList(app, "Called by", callers, callers.reduce((sum, entry) => sum + weight(entry), 0)),
	neighbourList(app, "Calls", callees, callers.reduce((sum, entry) => sum + weight(entry), 0)));
}

function matcher(text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	return (name) => words.every((word) => name.includes(word));
}

export function makeFunctions(app) {
	const { model } = app;
	const sheet = model.functions;
	const lower = Array.from({ length: model.nrFunctions },
		(_, i) =>
		(`${model.label(i)} ${sheet.value("function", i)} ${model.module(i)} ` +
		`${sheet.value("file", i) ?? ""}`).toLowerCase());
	let part = null;	// the part of the time that is shown; null: the whole run
	const rows = () => {
		const matches = matcher(state.q ?? "");
		const list = part ? part.numbers() : Array.from({ length: model.nrFunctions }, (_, i) => i);
		return list.filter((number) => matches(lower[number]));
	};
	const place = h("aside.detail", { "aria-label": "the chosen function" });
	const count = h("span.note");
	const search = h("input", { type: "search", placeholder: "Search functions, modules, files  ( / )",
		"aria-label": "search functions", value: state.q ?? "",
		oninput: () => { set({ q: search.value }); draw(); },
		onkeydown: (event) => { if (event.key === "Enter") table.element.focus(); } });
	const all = h("input", { type: "checkbox", onchange: () => table.setColumns(columns()) });
	const columns = () => part ? columnsOfPart(app, part) : columnsOf(app, all.checked);
	const [key, reverse] = (state.sort ?? (model.about.is_by_cpu ? "self_cpu_ns" : model.sort)).split("-");
	const table = new Table({ columns: columns(), rows: rows(), label: "functions",
		sort: { key, reverse: reverse === "up" },
		onSort: (sort) => set({ sort: sort.key + (sort.reverse ? "-up" : "") }),
		onOpen: (row) => app.select(row), selected: (row) => row === app.selected,
			empty: "No function has that in its name, or none ran in the chosen time." });
	const allOf = h("label.check", {}, all, "all columns");
	const element = h("div.functions", {}, h("div.toolbar", {}, search, count, allOf),
		h("div.split", {}, table.element, place));
	const draw = () => {
		const list = rows();
		count.textContent =
			`${exact("count", list.length)} of ${exact("count", model.nrFunctions)} ` +
			`functions${part ? " in the chosen time" : ""}`;
		table.setRows(list);
	};
	const detailed = () => {
		const number = app.selected;
		place.hidden = number === null;
		table.refresh();
		if (number !== null)
			detail(app, place, number, part);
	};
	const shown = async () => {
		search.value = state.q ?? "";
		part = await app.part();
		allOf.hidden = part !== null;
		table.setColumns(columns());
		draw();
		detailed();
	};
	let timer = 0;
	const update = (changed) => {
		if (!["from", "to", "whole"].some((name) => changed.has(name)))
			return detailed();
		clearTimeout(timer);
		timer = setTimeout(shown, 120);		// dragging over the curve makes many changes
	};
	return { element, update, shown };
}
