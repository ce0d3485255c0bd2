// SPDX-License-Identifier: GPL-3.0-or-later
// --diff: what changed since another run, function by function; the flame graph has the call paths.
import { h, link, replace } from "./dom.js";
import { set } from "./state.js";
import { Table } from "./table.js";
import { columnOf } from "./table_of.js";
import { css } from "./theme.js";
import { exact, format } from "./units.js";

const measures = [["self", "_ns", "Self"], ["total", "_ns", "Total"], ["calls", "", "Calls"], ["mean", "_ns", "Mean"], ["alloc", "_bytes", "Allocated"],
	["peak_heap", "_bytes", "At the peak"], ["not_freed", "_bytes", "Not freed"]];

// Twice as much, or half of it, as a bar to the right or to the left of the middle.
function changeBar(change, most) {
	const width = `${most ? Math.min(50, 50 * Math.abs(change) / most) : 0}%`;
	return h("span.change", { "aria-hidden": "true" }, h("span.change-fill", { style: change > 0 ? { left: "50%", width, background: css("--bad") } : { right: "50%", width, background: css("--accent") } }));
}

function columnsOf(block) {
	const has = (name) => block.has(name) && block.numbers(name).some((value) => value !== 0 && !Number.isNaN(value));
	const columns = [columnOf(block, "function", { width: 240, grow: 3 })];
	for (const [name, unit, title] of measures) {
		const [before, after, change] = ["before", "after", "change"].map((what) => `${name}_${what}${unit}`);
		if (!has(before) && !has(after))
			continue;
		const about = block.columns.find((column) => column.name === change);
		const values = block.numbers(change), most = values.reduce((all, value) => Math.max(all, Math.abs(value) || 0), 0);
		columns.push(columnOf(block, before, { title: `${title} before` }), columnOf(block, after, { title: "after" }),
			columnOf(block, change, { title: "change", width: 110, value: (row) => Math.abs(values[row]),
				show: (row) => h("span.share", { title: exact(about.unit, values[row]) }, changeBar(values[row], most), `${values[row] > 0 ? "+" : ""}${format(about.unit, values[row])}`) }));
	}
	return [...columns, columnOf(block, "found", { title: "In", width: 70, grow: undefined })];
}

export function makeCompare(app) {
	const { model } = app;
	const notes = h("dl.notes"), place = h("div.compare-table");
	const element = h("div.compare", {}, h("section.box", {}, h("h2", {}, "Two runs side by side"), notes,
		h("p.note", {}, "Functions and call paths are the same by their names. ", link("Call paths: the flame graph", () => set({ panel: "flame" })))), place);
	(async () => {
		const [about, block] = await Promise.all([model.data.block("diff"), model.data.block("diff.functions")]);
		replace(notes, about.about.sections.filter((section) => section.text).map((section) => [h("dt", {}, section.label ?? ""), h("dd", {}, section.text)]));
		const columns = columnsOf(block);
		const first = columns.find((column) => column.title === "change");
		const table = new Table({ columns, rows: Array.from({ length: block.rows }, (_, i) => i), label: "compare", sort: first && { key: first.key, reverse: false },
			onOpen: (row) => app.select(model.numberOfFull(block.value("function", row))), empty: "Neither run has functions." });
		replace(place, table.element);
	})();
	return { element };
}
