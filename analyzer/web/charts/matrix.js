// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of ranks as a picture: a row and a column for each rank, a cell the darker the more its pair has.
// Where there are more ranks than fit, ranks that follow each other share a row, and a cell is their sum.
import { h, hideTip, showTip } from "../base/dom.js";
import { css } from "../base/theme.js";
import { format } from "../base/units.js";

const linesMost = 200, cellMost = 32, sizeMost = 400, margin = 34, labels = 8;

export class Matrix {
	// pairs: [{ row, column, value }], numbers of ranks, of which there are @nrRanks
	constructor({ pairs, nrRanks, unit, words, onOpen }) {
		this.share = Math.ceil(nrRanks / linesMost);	// ranks in a row
		this.nr = Math.ceil(nrRanks / this.share);
		this.nrRanks = nrRanks;
		this.cell = Math.max(2, Math.min(cellMost, Math.floor(sizeMost / this.nr)));
		this.cells = new Float64Array(this.nr * this.nr);
		Object.assign(this, { unit, words, onOpen });
		for (const { row, column, value } of pairs)
			this.cells[this.lineOf(row) * this.nr + this.lineOf(column)] += value;
		const filled = this.cells.filter((value) => value > 0);
		this.least = filled.reduce((least, value) => Math.min(least, value), Infinity);
		this.most = filled.reduce((most, value) => Math.max(most, value), 0);
		this.nrFilled = filled.length;
		this.element = this.draw();
	}

	lineOf(rank) {
		return Math.floor(rank / this.share);
	}

	nameOf(line) {
		const first = line * this.share, last = Math.min(first + this.share, this.nrRanks) - 1;
		return first === last ? `${first}` : `${first} to ${last}`;
	}

	// From faint to full, by the logarithm: messages differ by powers of ten.
	strength(value) {
		return this.most > this.least ?
			0.15 + 0.85 * Math.log(value / this.least) / Math.log(this.most / this.least) : 1;
	}

	draw() {
		const size = this.nr * this.cell, ratio = devicePixelRatio, all = size + margin;
		const canvas = h("canvas.matrix", { width: all * ratio, height: all * ratio, role: "img",
			"aria-label": `${this.words.row} and ${this.words.column}, by rank: ` +
				`${this.nrFilled} of ${this.nr * this.nr} cells have any`,
			style: { width: `${all}px`, height: `${all}px` },
			onpointermove: (event) => this.tell(event), onpointerleave: hideTip,
			onclick: (event) => this.open(event) });
		const g = canvas.getContext("2d");
		g.scale(ratio, ratio);
		g.translate(margin, margin);
		g.fillStyle = css("--grid");
		g.fillRect(0, 0, size, size);
		g.fillStyle = css("--accent");
		const gap = this.cell > 5 ? 1 : 0;
		this.cells.forEach((value, i) => {
			if (value <= 0)
				return;
			g.globalAlpha = this.strength(value);
			g.fillRect(i % this.nr * this.cell, Math.floor(i / this.nr) * this.cell,
				this.cell - gap, this.cell - gap);
		});
		g.globalAlpha = 1;
		this.drawLabels(g);
		return canvas;
	}

	drawLabels(g) {
		const step = Math.ceil(this.nr / labels);
		g.fillStyle = css("--faint");
		g.font = "11px system-ui, sans-serif";
		g.textBaseline = "middle";
		for (let line = 0; line < this.nr; line += step) {
			const at = (line + 0.5) * this.cell, rank = String(line * this.share);
			g.textAlign = "right";
			g.fillText(rank, -5, at);
			g.textAlign = "center";
			g.fillText(rank, at, -9);
		}
	}

	// null: beside the cells
	cellAt(event) {
		const column = Math.floor((event.offsetX - margin) / this.cell);
		const row = Math.floor((event.offsetY - margin) / this.cell);
		const isInside = Math.min(row, column) >= 0 && Math.max(row, column) < this.nr;
		return isInside ? { row, column, value: this.cells[row * this.nr + column] } : null;
	}

	tell(event) {
		const at = this.cellAt(event);
		if (!at) {
			hideTip();
			return;
		}
		showTip([`rank ${this.nameOf(at.row)} ${this.words.between} rank ${this.nameOf(at.column)}`,
			[this.words.value, at.value > 0 ? format(this.unit, at.value) : "none"]],
			event.clientX, event.clientY);
	}

	open(event) {
		const at = this.cellAt(event);
		this.onOpen?.(at?.value > 0 ? at : null);
	}
}
