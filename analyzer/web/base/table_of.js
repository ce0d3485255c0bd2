// SPDX-License-Identifier: GPL-3.0-or-later
// A view's table as it is: every column that has anything in it, with the title and the unit that text has.
import { exact, format } from "./units.js";
import { h } from "./dom.js";
import { Table } from "./table.js";

const words = (name) => name.replace(/_(ns|bytes|percent)$/, "").replaceAll("_", " ");

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

function isWorth(block, column) {
	const numbers = block.numbers(column.name);
	return numbers.some((value) => !Number.isNaN(value));
}

export const mark = (block, name, row) => block.isDoubtful(name, row) ? "~" : "";

export function columnOf(block, name, more = {}) {
	const about = block.columns.find((column) => column.name === name);
	const left = Boolean(about.texts);
	const text = left ? block.texts(name) : null;
	const numbers = left ? null : block.numbers(name);
	return {
		key: name, title: about.title || capital(words(name)), hint: words(name), left,
		grow: left ? 1 : undefined,
		value: left ? text : (row) => numbers[row],
		show: left ? text : (row) => h("span", { title: exact(about.unit, numbers[row]) }, mark(block, name, row) + format(about.unit, numbers[row])),
		...more,
	};
}

export function tableOf(block, { label, leave = [], sort, onOpen, height, empty, columns } = {}) {
	const names = columns ?? block.columns.filter((column) => !leave.includes(column.name) && isWorth(block, column))
		.map((column) => column.name);
	return new Table({
		columns: names.filter((name) => block.has(name)).map((name) => columnOf(block, name)),
		rows: Array.from({ length: block.rows }, (_, i) => i), label, sort, onOpen, height, empty,
	});
}
