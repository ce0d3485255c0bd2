// SPDX-License-Identifier: GPL-3.0-or-later
// Tables that stay fast with 100,000 rows, because only visible rows are elements. A click on a title
// sorts, arrow keys move, Enter opens a row. A table can show a whole sheet: every column that has
// anything in it, with its title and unit.
import { h, replace } from "./dom.js";
import { exact, format } from "./units.js";

const rowHeight = 26;

// columns: { key, title, hint, left, width in px, grow, value(row), show(row) -> text or element, descending }
export class Table {
	constructor({ columns, rows, label, sort, onSort, onOpen, selected, height, empty }) {
		Object.assign(this, { columns, rows, sort, onSort, onOpen, empty });
		this.selected = selected ?? (() => false);
		this.at = 0;
		this.first = -1;
		this.head = h("div.tr.head", { role: "row" });
		this.body = h("div.tbody");
		this.space = h("div.tspace", {}, this.body);
		this.scroll = h("div.tscroll", { tabIndex: 0, role: "table", "aria-label": label,
			onscroll: () => this.draw(), onkeydown: (event) => this.key(event) }, this.head,
				this.space);
		if (height)
			this.scroll.style.maxHeight = `${height}px`;
		this.element = this.scroll;
		new ResizeObserver(() => this.draw(true)).observe(this.scroll);
		this.order();
	}

	setRows(rows) {
		this.rows = rows;
		this.at = 0;
		this.scroll.scrollTop = 0;
		this.order();
	}

	setColumns(columns) {
		this.columns = columns;
		this.order();
	}

	order() {
		const column = this.columns.find((one) => one.key === this.sort?.key) ?? null;
		this.sorted = Array.from(this.rows);
		if (column) {
			const keys = new Map(this.sorted.map((row) => [row, column.value(row)]));
			const sign = this.sort.reverse ? -1 : 1;
			const none = (value) => value === null || value === undefined ||
				Number.isNaN(value) || value === "";
			this.sorted.sort((a, b) => {
				const x = keys.get(a), y = keys.get(b);
				if (none(x) || none(y))
					return none(x) - none(y);
				return sign * (column.left ? String(x).localeCompare(String(y)) : y - x);
			});
		}
		this.drawHead();
		this.space.style.height = `${this.sorted.length * rowHeight}px`;
		this.draw(true);
	}

	drawHead() {
		const width = (column) => column.width ?? (column.left ? 140 : 84);
		this.scroll.style.setProperty("--columns", this.columns.map((column) => column.grow ?
			`minmax(${width(column)}px, ${column.grow}fr)` : `${width(column)}px`).join(" "));
		this.scroll.style.setProperty("--least",
			`${this.columns.reduce((sum, column) => sum + width(column) + 10, 18)}px`);
		replace(this.head, this.columns.map((column) => {
			const sorted = this.sort?.key === column.key;
			return h(column.left ? "button.th.left" : "button.th", {
				type: "button", title: column.hint ?? "", data: { column: column.key },
					role: "columnheader",
				"aria-sort": sorted ? (this.sort.reverse === !column.left ? "ascending" :
					"descending") : "none",
				onclick: () => this.sortBy(column),
			}, column.title, sorted ? h("span.sorted", { "aria-hidden": "true" },
				this.sort.reverse === !column.left ? "▲" : "▼") : null);
		}));
	}

	sortBy(column) {
		this.sort = { key: column.key, reverse: this.sort?.key === column.key ? !this.sort.reverse :
			false };
		this.at = 0;
		this.order();
		this.onSort?.(this.sort);
	}

	draw(anew) {
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / rowHeight) - 4);
		const nr = Math.ceil((this.scroll.clientHeight || 600) / rowHeight) + 9;
		if (!anew && first === this.first)
			return;
		this.first = first;
		this.body.style.transform = `translateY(${first * rowHeight}px)`;
		if (!this.sorted.length) {
			this.space.style.height = "auto";
			replace(this.body, h("div.empty", {}, this.empty ?? "Nothing here."));
			return;
		}
		replace(this.body, this.sorted.slice(first, first + nr).map((row, i) => this.drawRow(row,
			first + i)));
	}

	drawRow(row, index) {
		const element = h(this.onOpen ? "div.tr.opens" : "div.tr",
			{ role: "row", onclick: () => this.open(index) },
			this.columns.map((column) => {
				const shown = column.show ? column.show(row) : column.value(row);
				return h(column.left ? "div.td.left" : "div.td",
					{ role: "cell", data: { column: column.key },
						title: typeof shown === "string" && column.left ? shown :
						"" },
					shown ?? "");
			}));
		element.classList.toggle("selected", this.selected(row));
		element.classList.toggle("at", index === this.at);
		return element;
	}

	open(index) {
		this.at = index;
		this.draw(true);
		if (this.sorted[index] !== undefined)
			this.onOpen?.(this.sorted[index]);
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.scroll.clientHeight / rowHeight) - 2);
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9,
			End: 1e9 }[event.key];
		if (event.target !== this.scroll)
			return;
		if (step) {
			this.at = Math.max(0, Math.min(this.sorted.length - 1, this.at + step));
			this.show(this.at);
			event.preventDefault();
		} else if (event.key === "Enter") {
			this.open(this.at);
		}
	}

	show(index) {
		const top = index * rowHeight, room = this.scroll.clientHeight - rowHeight - 4;
		if (top < this.scroll.scrollTop)
			this.scroll.scrollTop = top;
		else if (top + rowHeight > this.scroll.scrollTop + room)
			this.scroll.scrollTop = top + rowHeight - room;
		this.draw(true);
	}

	refresh() {
		this.draw(true);
	}
}

const words = (name) => name.replace(/_(ns|bytes)$/, "").replace(/_percent$/, " %").replaceAll("_", " ");

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

function isWorth(sheet, column) {
	const numbers = sheet.numbers(column.name);
	return numbers.some((value) => !Number.isNaN(value));
}

export const mark = (sheet, name, row) => sheet.mark(name, row);

export function columnOf(sheet, name, more = {}) {
	const about = sheet.columns.find((column) => column.name === name);
	const left = Boolean(about.texts);
	const text = left ? sheet.texts(name) : null;
	const numbers = left ? null : sheet.numbers(name);
	return {
		key: name, title: about.title || capital(words(name)), hint: words(name), left,
		grow: left ? 1 : undefined,
		value: left ? text : (row) => numbers[row],
		show: left ? text : (row) => h("span", { title: exact(about.unit, numbers[row]) },
			mark(sheet, name, row) + format(about.unit, numbers[row])),
		...more,
	};
}

// No two columns have one title.
export function apart(columns) {
	const nr = (title) => columns.filter((column) => column.title === title).length;
	const same = columns.filter((column) => nr(column.title) > 1);
	same.forEach(({ key }, i) => same[i].title =
		capital(words(key)) + (key.endsWith("_ns") ? " time" : ""));
	return columns;
}

export function tableOf(sheet, { label, leave = [], sort, onOpen, height, empty, columns } = {}) {
	const names = columns ?? sheet.columns.filter((column) => !leave.includes(column.name) &&
		isWorth(sheet, column))
		.map((column) => column.name);
	return new Table({
		columns: apart(names.filter((name) => sheet.has(name)).map((name) => columnOf(sheet, name))),
		rows: Array.from({ length: sheet.rows }, (_, i) => i), label, sort, onOpen, height, empty,
	});
}
