// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends to whom by MPI, and who waits for whom: a matrix of ranks, and the rows that it is made of.
import { Matrix } from "../charts/matrix.js";
import { h, link, ofWholeRun, replace } from "../base/dom.js";
import { set, state } from "../base/state.js";
import { tableOf } from "../base/table.js";
import { format, plural } from "../base/units.js";

const sent = { row: "Sender", column: "receiver", between: "to", rows: "sender", columns: "receiver",
	shown: ["sender", "receiver", "messages", "bytes", "function", "direction", "communicator"] };
const waits = { row: "Waiting rank", column: "late rank", between: "for", rows: "rank", columns: "late_rank",
	shown: ["rank", "late_rank", "waiting_ns", "calls", "longest_ns", "function", "kind", "caller"] };
const measures = [
	{ name: "bytes", title: "Bytes", unit: "bytes", words: sent },
	{ name: "messages", title: "Messages", unit: "count", words: sent },
	{ name: "waiting_ns", title: "Waiting", unit: "ns", words: waits },
];

function pairsOf(sheet, { name, words }) {
	const row = sheet.numbers(words.rows), column = sheet.numbers(words.columns), value = sheet.numbers(name);
	return Array.from(value, (_, i) => ({ row: row[i], column: column[i], value: value[i], index: i }));
}

const isPair = (pair) => pair.row >= 0 && pair.column >= 0 && pair.value > 0;

const largest = (numbers) => numbers.reduce((most, value) => value > most ? value : most, -1);

// What the picture lacks, in words.
function lacking(pairs, measure) {
	const left = pairs.reduce((sum, pair) => sum + (!isPair(pair) && pair.value > 0 ? pair.value : 0), 0);
	const unsized = measure.name === "bytes" ? pairs.filter((pair) => pair.row >= 0 &&
		pair.column >= 0 && Number.isNaN(pair.value)).length : 0;
	return [left > 0 ? `${format(measure.unit, left)} more in collectives, and to or from ranks that are ` +
		"not known" : null, unsized ? `the size is not known in ${plural(unsized, "row")}` : null]
		.filter(Boolean);
}

// @messages, @late: sheets of the views; null: none. Return: null if no rank sent anything to another
export function makeMessages(app, messages, late) {
	const offered = measures.map((measure) => ({ ...measure, sheet: measure.words === sent ? messages : late }))
		.filter(({ sheet, ...measure }) => sheet?.rows && pairsOf(sheet, measure).some(isPair));
	if (!offered.length)
		return null;
	const nrRanks = 1 + largest([largest(app.model.processes.numbers("rank")),
		...offered.flatMap(({ sheet, words }) => [words.rows, words.columns].map((name) =>
			largest(sheet.numbers(name))))]);
	const buttons = h("div.group"), picture = h("div"), note = h("p.note"), list = h("div");
	const of = { element: h("section.box.messages", {}, h("h2", {}, "Who sends to whom",
		h("span.h2-note", {}, "MPI: a row for each rank, a column for its partner", ofWholeRun())),
		buttons, h("div.pair", {}, h("div", {}, picture, note), list)) };

	const draw = () => {
		const measure = offered.find(({ name }) => name === state.pairs) ?? offered[0];
		const pairs = pairsOf(measure.sheet, measure), { words } = measure;
		const table = tableOf(measure.sheet, { label: "messages", height: 440, columns: words.shown,
			sort: { key: measure.name, reverse: false } });
		const show = (cell) => {
			const shown = !cell ? pairs : pairs.filter((pair) => of.matrix.lineOf(pair.row) === cell.row &&
				of.matrix.lineOf(pair.column) === cell.column);
			table.setRows(shown.map((pair) => pair.index));
			replace(list, cell ? h("p.note", {}, `Rank ${of.matrix.nameOf(cell.row)} ${words.between} ` +
				`rank ${of.matrix.nameOf(cell.column)}; `, link("show all", () => show(null))) : null,
				table.element);
		};
		of.matrix = new Matrix({ pairs: pairs.filter(isPair), nrRanks, unit: measure.unit,
			words: { ...words, value: measure.title }, onOpen: show });
		replace(buttons, offered.map(({ name, title }) => h("button.button", { type: "button",
			"aria-pressed": String(name === measure.name), onclick: () => set({ pairs: name }) }, title)));
		replace(picture, of.matrix.element);
		replace(note, [`${words.row} down, ${words.column} across; from ` +
			`${format(measure.unit, of.matrix.least)} (faint) to ${format(measure.unit, of.matrix.most)}, ` +
			"by the logarithm", of.matrix.share > 1 ? `${of.matrix.share} ranks share a row` : null,
			app.model.about.runs > 1 ? "ranks of all runs are added up" : null,
			...lacking(pairs, measure)].filter(Boolean).join("; "), ".");
		show(null);
	};
	draw();
	return Object.assign(of, { draw });
}
