// SPDX-License-Identifier: GPL-3.0-or-later
// The source files of functions, with what each function took beside its first line, and samples beside each.
import { bar, h, link, replace } from "../base/dom.js";
import { set, state } from "../base/state.js";
import { mark, Table } from "../base/table.js";
import { exact, format } from "../base/units.js";

// Files with their functions, those with most first.
function filesOf(model, sheet, numbers) {
	const files = new Map();
	for (let row = 0; row < sheet.rows; row++)
		files.set(sheet.value("path", row), { path: sheet.value("path", row), row, functions: [],
			weight: 0 });
	const { functions } = model, line = functions.numbers("line");
	for (let i = 0; i < model.nrFunctions; i++) {
		const file = files.get(functions.value("file", i));
		if (!file || Number.isNaN(line[i]))
			continue;
		file.functions.push({ number: i, line: line[i] });
		file.weight += numbers(model.sort)[i] || 0;
	}
	return [...files.values()].sort((a, b) => b.weight - a.weight);
}

// Find the end of a function: the first brace (or END) indented like its first line, before the next
// function.
function endOf(lines, first, next) {
	const indent = lines[first].match(/^\s*/)[0];
	for (let i = first; i < Math.min(next, lines.length); i++)
		if (lines[i].startsWith(`${indent}}`) || (lines[i].startsWith(indent) &&
			/^end\b/i.test(lines[i].slice(indent.length))))
			return i;
	return first;
}

// [line]: the functions that begin there, and the function that the line belongs to.
function annotate(file, lines) {
	const begins = new Map(), owner = new Map();
	for (const one of file.functions)
		begins.set(one.line - 1, [...begins.get(one.line - 1) ?? [], one.number]);
	const starts = [...begins.keys()].filter((line) => line < lines.length).sort((a, b) => a - b);
	starts.forEach((start, i) => {
		for (let line = start; line <= endOf(lines, start, starts[i + 1] ?? lines.length); line++)
			owner.set(line, begins.get(start));
	});
	return { begins, owner };
}

const add = (a, b) => a + b;
const perHit = (sums) => sums.hits && sums.time_ns / sums.hits;

// What a line has of several functions that have code there is put together, or worked out of their sums.
// Figures without a title only explain others.
const lineFigures = [
	{ name: "hits", unit: "count", title: "Hits", together: add },
	{ name: "time_ns", unit: "ns", title: "Line time", together: add },
	{ name: "per_hit_ns", unit: "ns", title: "Per Hit", from: perHit },
	{ name: "time_percent", unit: "percent", title: "% Time",
		from: (sums, whole) => 100 * sums.time_ns / whole(sums.time_source) },
	{ name: "self_ns", unit: "ns", title: "Line self", together: add },
	{ name: "waiting_ns", unit: "ns", title: "Line waiting", together: add },
	{ name: "alloc_bytes", unit: "bytes", title: "Allocated", together: add },
	{ name: "peak_bytes", unit: "bytes", title: "At peak", together: add },
	{ name: "new_bytes", unit: "bytes", title: "New memory", together: add },
	{ name: "rss_bytes", unit: "bytes", title: "Mem usage", together: Math.max },
	{ name: "rss_growth_bytes", unit: "bytes", title: "Increment", together: add },
	{ name: "occurrences", unit: "count", title: "Occurrences", together: add },
	{ name: "calls", together: add },
	{ name: "min_ns", together: Math.min },
	{ name: "max_ns", together: Math.max },
	{ name: "time_source", together: (_, source) => source },
];

// [path]: [line from 0]: its figures in all functions that have code there. Of the whole run.
function linesOf(sheet) {
	const files = new Map();
	for (let row = 0; row < (sheet?.rows ?? 0); row++) {
		const path = sheet.value("file", row), line = sheet.value("line", row) - 1;
		if (path === null || line < 0)
			continue;
		const lines = files.get(path) ?? files.set(path, new Map()).get(path);
		const sums = lines.get(line) ?? lines.set(line, {}).get(line);
		for (const { name, together } of lineFigures) {
			const value = together && sheet.has(name) ? sheet.value(name, row) : null;
			if (value !== null)
				sums[name] = name in sums ? together(sums[name], value) : value;
		}
		sums.mark ||= sheet.mark("time_ns", row);
	}
	return files;
}

// Beside its time: how long single calls from there took.
const callsText = (sums) => sums.min_ns === undefined ? "" : ` in ${exact("count", sums.calls)} calls, each ` +
	`${exact("ns", sums.min_ns)} to ${exact("ns", sums.max_ns)}`;

const lastName = (path) => path.replace(/^.*\//, "");

class SourcePanel {
	constructor(app) {
		this.app = app;
		this.list = h("nav.source-files", { "aria-label": "files" });
		this.head = h("div.source-head");
		this.place = h("div.source-text");
		this.element = h("div.source", {}, this.list, h("div.source-main", {}, this.head,
			this.place));
		this.load();
	}

	async load() {
		const { data } = this.app.model;
		this.lines = linesOf(await data.sheet("lines.lines"));
		this.sheet = await data.sheet("source");
		this.shown();
	}

	// The figures of all functions: of the whole run, or of the chosen time.
	numbers(name) {
		return this.part?.functions[name] ?? this.app.model.functions.numbers(name);
	}

	// The mark of a sum: doubtful if one of its functions is.
	mark(name, functions) {
		return this.part ? "" : functions.map((number) => mark(this.app.model.functions, name,
			number)).find(Boolean) ?? "";
	}

	get file() {
		const selected = this.app.selected;
		const of = selected === null || selected >= this.app.model.nrFunctions ? null :
			this.app.model.functions.value("file", selected);
		return this.files.find((file) => file.path === (state.file ?? of)) ?? this.files[0];
	}

	async shown() {
		if (!this.sheet)
			return;
		this.part = await this.app.part();
		this.files = filesOf(this.app.model, this.sheet, (name) => this.numbers(name));
		if (!this.files.length) {
			replace(this.element,
				h("div.empty", {},
				"Debug information names no source file: compile with -g."));
			return;
		}
		this.drawFiles();
		this.drawText();
	}

	drawFiles() {
		const { model } = this.app;
		const most = this.files[0].weight;
		replace(this.list, this.files.map((file) => h("button.source-file",
			{ type: "button", title: file.path, "aria-pressed": String(file === this.file),
			onclick: () => set({ file: file.path }) },
			bar(most ? file.weight / most : 0, "var(--accent)"),
				h("span.hot-name", {}, lastName(file.path)),
			h("span.hot-note", {}, format(model.unit, file.weight)))));
	}

	drawText() {
		const { file, sheet } = this, { model } = this.app;
		const text = sheet.value("text", file.row), trouble = sheet.value("trouble", file.row);
		replace(this.head, h("span.path", {}, file.path),
			trouble ? h("span.badge", {}, trouble) : null,
			h("span.note", {},
				`${exact("count", file.functions.length)} functions; the time of a whole ` +
					`function stands beside its first line`));
		if (text === null) {
			replace(this.place, h("div.box", {}, h("p.note", {},
				`Its text is not here: ${trouble ?? "it is empty"}.`),
				file.functions.sort((a, b) => a.line - b.line).map((one) => h("p", {},
					link(`${one.line}: ${model.label(one.number)}`,
					() => this.app.select(one.number, "functions"))))));
			return;
		}
		const lines = text.split("\n");
		if (lines.at(-1) === "")
			lines.pop();
		this.table = this.makeTable(file, lines);
		replace(this.place, this.table.element);
		this.showSelected();
	}

	makeTable(file, lines) {
		const { model } = this.app;
		const { begins, owner } = annotate(file, lines);
		const sum = (name, line) => begins.has(line) ?
			begins.get(line).reduce((all, number) => all + (this.numbers(name)[number] || 0), 0) :
			NaN;
		const { has_times: timed, is_sampled: sampled } = model.about, known = this.lines.get(file.path) ?? new Map();
		const whole = (line) => (source) => owner.get(line)?.reduce((all, one) => all + (model.functions.numbers(
			source === "hooks" ? "total_ns" : "sampled_total_ns")[one] || 0), 0);
		const figureOf = (line, { name, from }) => {
			const sums = known.get(line) ?? {}, value = from ? from(sums, whole(line)) : sums[name];
			return Number.isFinite(value) && !(name === "time_percent" && value > 100) ? value : undefined;
		};
		const figures = lineFigures.filter((one) => one.title &&
			[...known.keys()].some((line) => figureOf(line, one) !== undefined));
		const narrow = this.element.clientWidth < (figures.length ? 1050 + 86 * figures.length : 700);	// leave the room to the text
		const number = (name, unit, title) => ({ key: name, title, width: narrow ? 54 : 76,
			value: (line) => sum(name, line),
			show: (line) => begins.has(line) ? h("span",
				{ title: `${begins.get(line).map((one) => model.label(one)).join(", ")}: ` +
				`${exact(unit, sum(name, line))}` },
				this.mark(name, begins.get(line)) + format(unit, sum(name, line))) : "" });
		const figure = (one) => ({ key: `line_${one.name}`, title: one.title, width: narrow ? 54 : 76,
			value: (line) => figureOf(line, one) ?? NaN,
			show: (line) => figureOf(line, one) === undefined ? "" : h("span",
				{ title: `line ${line + 1}, of the whole run: ${exact(one.unit, figureOf(line, one))}` +
				(one.name === "time_ns" ? callsText(known.get(line)) : "") },
				(/^time_|per_hit/.test(one.name) ? known.get(line).mark : "") +
				format(one.unit, figureOf(line, one))) });
		this.begins = begins;
		return new Table({
			label: "source", rows: lines.map((_, i) => i), sort: null,
				empty: "The file is empty.",
			onOpen: (line) => owner.has(line) && this.app.select(owner.get(line)[0]),
				selected: (line) => owner.get(line)?.includes(this.app.selected) ?? false,
			columns: [...sampled ? [number("sampled_self_ns", "ns", "Self CPU"),
				number("sampled_total_ns", "ns", "CPU")] : [number("calls", "count", "Calls")],
				...sampled && model.functions.has("waiting_total_ns") ?
				[number("waiting_total_ns", "ns", "Waiting")] : [],
				...timed ? [number("self_ns", "ns", "Self"),
				number("total_ns", "ns", "Total")] : [],
				...figures.map(figure),
				{ key: "line", title: "Line", width: narrow ? 36 : 56, value: (line) => -line,
					show: (line) => h("span.faint", {}, String(line + 1)) },
				{ key: "text", title: lastName(file.path), left: true, width: narrow ? 260 : 500, grow: 1,
					value: (line) => lines[line],
					show: (line) => h("span.code",
						{ style: { borderLeftColor: owner.has(line) ?
						model.colour(owner.get(line)[0]) : "transparent" } },
						lines[line].replaceAll("\t", "    ")) }],
		});
	}

	// Show the chosen function, or the function of this file that took most.
	showSelected() {
		const { model, selected } = this.app;
		const weight = (number) => this.numbers(model.sort)[number] || 0;
		const best = this.file.functions.find((one) => one.number === selected) ??
			[...this.file.functions].sort((a, b) => weight(b.number) - weight(a.number))[0];
		if (!best)
			return;
		this.table.at = best.line - 1;
		this.table.scroll.scrollTop = Math.max(0, best.line - 4) * 26;
		this.table.refresh();
	}

	update(changed) {
		if (!["file", "f", "from", "to", "whole"].some((name) => changed.has(name)))
			return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.shown(), changed.has("from") || changed.has("to") ? 120 :
			0);
	}
}

export const makeSource = (app) => new SourcePanel(app);
