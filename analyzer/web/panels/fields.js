// SPDX-License-Identifier: GPL-3.0-or-later
// Time by what functions are for: of the run, and of each process or rank.
import { h, replace } from "../base/dom.js";
import { colourOf, shares } from "../charts/shares.js";
import { mark, Table } from "../base/table.js";
import { exact, format } from "../base/units.js";

const coloursMax = 10;

// What each process has of each field: a Map of names to a Map of fields to values.
function byProcess(sheet, column) {
	const value = sheet.numbers(column), processes = new Map();
	for (let row = 0; row < sheet.rows; row++) {
		const rank = sheet.value("rank", row);
		const name = rank !== null ? `rank ${rank}` :
			`${sheet.value("program", row) ?? ""} ${sheet.value("pid", row)}`;
		if (!processes.has(name))
			processes.set(name, Object.assign(new Map(), { marks: new Map() }));
		const parts = processes.get(name), field = sheet.value("field", row);
		parts.marks.set(field, mark(sheet, column, row));
		parts.set(field, (parts.get(field) ?? 0) + (value[row] || 0));
	}
	return processes;
}

// The fields with most time have colours of their own; all others share one.
const coloursOf = (sums) => new Map([...sums].sort((a, b) => b[1] - a[1]).map(([field], i) => [field,
	i < coloursMax ? colourOf(i) : "var(--faint)"]));

// A bar of the fields with colours of their own, and one part for all others.
function stack(one, colours, unit) {
	const own = [...one.parts].filter(([field, value]) => value > 0 &&
		colours.get(field).startsWith("hsl")).sort((a, b) => b[1] - a[1]);
	const rest = one.sum - own.reduce((all, [, value]) => all + value, 0);
	if (rest > 0)
		own.push([`${one.parts.size - own.length} other fields`, rest]);
	return h("span.stack", {}, own.map(([field, value]) => h("span.stack-part", {
		title: `${field}: ${exact(unit, value)}, ${format("percent", 100 * value / one.sum)}`,
			style: { flexGrow: value / one.sum, background: colours.get(field) ??
			"var(--faint)" } })));
}

// The same for the chosen time. What is in no field is the rest of the threads' time within it.
function byProcessOfPart(model, part) {
	const lives = part.lives();
	return new Map(part.processes.map((process, i) => [model.processName(i),
		new Map([...[...process.fields].map(([field, sums]) => [field, sums.self_ns]),
			["Others", Math.max(0, lives[i] - process.functions_ns)]])]));
}

function sumsOf(processes) {
	const sums = new Map();
	for (const parts of processes.values())
		for (const [field, value] of parts)
			sums.set(field, (sums.get(field) ?? 0) + value);
	return sums;
}

// @sheet: fields of the whole run; @ofProcesses: of each process, or null if not known; @part: of the
// chosen time; null: of the whole run. Return: null if there is nothing to show
export function makeFields(app, sheet, ofProcesses, part) {
	const [column, unit] = part || app.model.about.has_times ? ["self_ns", "ns"] : ["calls", "count"];
	if (!sheet?.rows || !sheet.has(column))
		return null;
	const ofEach = part ? byProcessOfPart(app.model, part) : ofProcesses?.rows ?
		byProcess(ofProcesses, column) : new Map();
	const sums = part ? sumsOf(ofEach) : new Map(Array.from(sheet.numbers(column),
		(value, row) => [sheet.value("field", row), value || 0])), colours = coloursOf(sums);
	const marks = new Map(part ? [] : Array.from({ length: sheet.rows },
		(_, row) => [sheet.value("field", row), mark(sheet, column, row)]));
	const processes = [...ofEach].map(([name, parts]) =>
		({ name, parts, sum: [...parts.values()].reduce((all, value) => all + value,
		0) })).filter((one) => one.sum > 0);
	const ring = h("div"), whose = h("p.note");
	let chosen = null;
	// Of one process, if its row was opened, otherwise of all.
	const draw = () => {
		whose.textContent = chosen ? chosen.name : "all processes; a row opens one";
		whose.hidden = processes.length < 2;
		replace(ring, whose, shares([...chosen?.parts ?? sums].map(([name, value]) =>
			({ name, value, colour: colours.get(name), mark: (chosen ? chosen.parts.marks : marks)?.get(name) })),
		unit, "shares of the fields"));
	};
	draw();
	return h("section.box", {}, h("h2", {}, "Fields", h("span.h2-note", {},
		`${unit === "ns" ? "self time" : "calls"} by what functions are for (--fields); Others: ` +
			`the rest of the threads' time; @name: in no field`)),
		h(processes.length < 2 ? "div" : "div.pair", {},
			ring, processes.length < 2 ? null : new Table({
				label: "fields", rows: processes, sort: null, height: 300,
				onOpen: (one) => { chosen = chosen === one ? null : one; draw(); },
				columns: [
					{ key: "process", title: "Process", left: true, width: 130,
						value: (one) => one.name },
					{ key: "sum", title: unit === "ns" ? "Time" : "Calls", width: 96,
						value: (one) => one.sum, show: (one) => h("span",
						{ title: exact(unit, one.sum) }, format(unit, one.sum)) },
					{ key: "parts", title: "By field", left: true, width: 200, grow: 1,
						value: (one) => one.name, show: (one) => stack(one, colours,
						unit) },
				] }).element));
}
