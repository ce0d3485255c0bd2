// SPDX-License-Identifier: GPL-3.0-or-later
// --diff: what changed since another run, function by function. The flame graph has the call paths.
import { h, link, ofWholeRun, replace } from "../base/dom.js";
import { set } from "../base/state.js";
import { columnOf, Table } from "../base/table.js";
import { exact, format } from "../base/units.js";

const measures = [["self", "_ns", "Self"], ["total", "_ns", "Total"], ["calls", "", "Calls"],
	["mean", "_ns", "Mean"], ["alloc", "_bytes", "Allocated"],
	["peak_heap", "_bytes", "At the peak"], ["not_freed", "_bytes", "Not freed"]];

function columnsOf(sheet) {
	const has = (name) => sheet.has(name) && sheet.numbers(name).some((value) => value !== 0 &&
		!Number.isNaN(value));
	const columns = [columnOf(sheet, "function", { width: 240, grow: 3 })];
	for (const [name, unit, title] of measures) {
		const [before, after, change] = ["before", "after",
			"change"].map((what) => `${name}_${what}${unit}`);
		if (!has(change) && !["self", "calls"].includes(name))
			continue;
		const about = sheet.columns.find((column) => column.name === change),
			values = sheet.numbers(change);
		const colour = (value) => value > 0 ? "span.more" : value < 0 ? "span.less" : "span.faint";
		const width = 68 + 6 * title.length;
		columns.push(columnOf(sheet, before, { title: `${title} before`, width }),
			columnOf(sheet, after, { title: `${title} after`, width }),
			columnOf(sheet, change, { title: `${title} change`, width,
				value: (row) => Math.abs(values[row]),
				show: (row) => h(colour(values[row]), { title: exact(about.unit,
					values[row]) },
					(values[row] > 0 ? "+" : "") + format(about.unit, values[row])) }));
	}
	return [...columns, columnOf(sheet, "found", { title: "In", width: 70, grow: undefined })];
}

export function makeCompare(app) {
	const { model } = app;
	const notes = h("dl.notes"), place = h("div.compare-table");
	const element = h("div.compare", {}, h("section.box", {},
		h("h2", {}, "Two runs side by side", ofWholeRun()), notes,
		h("p.note", {}, "Functions and call paths are matched by name. ",
			link("Call paths: the flame graph", () => set({ panel: "flame" })))), place);
	(async () => {
		const [about, sheet] = await Promise.all([model.data.sheet("diff"),
			model.data.sheet("diff.functions")]);
		replace(notes, about.about.sections.filter((section) => section.text).map((section) =>
			[h("dt", {}, section.label ?? ""), h("dd", {}, section.text)]));
		const columns = columnsOf(sheet);
		const first = columns.find((column) => /_change/.test(column.key));
		const table = new Table({ columns, rows: Array.from({ length: sheet.rows }, (_, i) => i),
			label: "compare", sort: first && { key: first.key, reverse: false },
			onOpen: (row) => app.select(model.numberOfFull(sheet.value("function", row))),
				empty: "Neither run has functions." });
		replace(place, table.element);
	})();
	return { element };
}
