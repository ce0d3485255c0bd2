// SPDX-License-Identifier: GPL-3.0-or-later
// Time by what functions are for: over all, and for each process or rank.
import { h } from "./dom.js";
import { colourOf, shares } from "./shares.js";
import { Table } from "./table.js";
import { exact, format } from "./units.js";

const coloursMax = 10;

// The fields with most time have a colour each, all others one.
function coloursOf(block, column) {
	const values = block.numbers(column);
	const order = Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a]);
	return new Map(order.map((row, i) => [block.value("field", row), i < coloursMax ? colourOf(i) : "var(--faint)"]));
}

// What each process has of each field, of the functions with most time: [process] Map of field to value.
function byProcess(model, ranks, column) {
	const nr = model.processes.rows, functions = ranks.numbers("function"), values = ranks.numbers(column);
	const list = Array.from({ length: nr }, () => new Map());
	functions.forEach((number, row) => {
		const field = model.functions.value("field", number);
		for (let process = 0; process < nr; process++)
			if (values[row * nr + process] > 0)
				list[process].set(field, (list[process].get(field) ?? 0) + values[row * nr + process]);
	});
	return list;
}

function stack(parts, colours, unit) {
	const sum = [...parts.values()].reduce((all, value) => all + value, 0);
	return h("span.stack", {}, [...parts].sort((a, b) => b[1] - a[1]).map(([field, value]) => h("span.stack-part", {
		title: `${field}: ${format(unit, value)}, ${format("percent", 100 * value / sum)}`, style: { flexGrow: value / sum, background: colours.get(field) ?? "var(--faint)" } })));
}

// @block: the view fields; @ranks: what each process has of functions, or null where there is one. null: nothing to show
export function makeFields(app, block, ranks) {
	const { model } = app;
	const [column, unit] = model.about.has_times ? ["self_ns", "ns"] : ["calls", "count"];
	if (!block?.rows || !block.has(column))
		return null;
	const colours = coloursOf(block, column);
	const all = Array.from({ length: block.rows }, (_, row) => ({ name: block.value("field", row), value: block.numbers(column)[row] || 0, colour: colours.get(block.value("field", row)) }));
	const parts = ranks && model.functions.has("field") ? byProcess(model, ranks, column) : [];
	const rows = Array.from(parts, (map, process) => ({ process, parts: map, sum: [...map.values()].reduce((sum, value) => sum + value, 0) })).filter((row) => row.sum > 0);
	return h("section.box", {}, h("h2", {}, "Fields", h("span.h2-note", {}, `${unit === "ns" ? "self time" : "calls"} by what functions are for (--fields); Others: the rest of the threads' time; @name: in no field`)),
		h(rows.length < 2 ? "div" : "div.pair", {}, shares(all, unit, "shares of the fields"), rows.length < 2 ? null : new Table({
			label: "fields", rows, sort: null, height: 300,
			columns: [
				{ key: "process", title: "Process", left: true, width: 130, value: (row) => model.processName(row.process) },
				{ key: "sum", title: unit === "ns" ? "In functions" : "Calls", width: 96, value: (row) => row.sum, show: (row) => h("span", { title: exact(unit, row.sum) }, format(unit, row.sum)) },
				{ key: "parts", title: "By field", left: true, width: 200, grow: 1, value: (row) => [...row.parts.keys()].join(), show: (row) => stack(row.parts, colours, unit) },
			] }).element));
}
