// SPDX-License-Identifier: GPL-3.0-or-later
// The entry and the exit of single calls as marks on a curve: of the calls that changed the heap most, and
// where the heap was not recorded, of the longest ones.
import { css } from "../base/theme.js";

const most = 20, reach = 8;	// calls; pixels around a mark

// The calls between two times that matter most: { time, label, isEntry }, by time; ofHeap of the list: they
// were chosen by the heap.
export function callMarks(spans, model, from, to) {
	const found = [];
	for (const lane of spans.lanes)
		for (let span = Math.max(lane.first, spans.after(lane, from) - 1);
			span < lane.end && spans.start[span] <= to; span++)
			if (!spans.isMerged(span) && !(spans.flags[span] & 8))
				found.push(span);
	const hasHeap = found.some((span) => spans.heap[span]);
	const weight = (span) => hasHeap ? Math.abs(spans.heap[span]) || 0 : spans.duration[span];
	const chosen = found.filter((span) => weight(span) > 0).sort((a, b) => weight(b) - weight(a))
		.slice(0, most);
	const marks = chosen.flatMap((span) => {
		const name = model.label(spans.func(span)), end = spans.start[span] + spans.duration[span];
		return [{ time: spans.start[span], label: `@${name} (in)`, isEntry: true },
			// a call that has not ended has no exit
			...spans.flags[span] & 4 ? [] : [{ time: end, label: `@${name} (out)`, isEntry: false }]];
	}).filter(({ time }) => time >= from && time <= to).sort((a, b) => a.time - b.time);
	return Object.assign(marks, { ofHeap: hasHeap });
}

// The value of a line at a time, between its points; NaN: not known.
function valueAt({ x, y }, time) {
	let low = 0, high = x.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (x[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low === 0 || low === x.length)
		return low && x[low - 1] === time ? y[low - 1] : NaN;
	return y[low - 1] + (y[low] - y[low - 1]) * (time - x[low - 1]) / (x[low] - x[low - 1]);
}

function drawMark(g, x, y, isEntry, size) {
	g.beginPath();
	g.moveTo(x, y);
	g.lineTo(x - size / 2, y + (isEntry ? size : -size));
	g.lineTo(x + size / 2, y + (isEntry ? size : -size));
	g.closePath();
	g.fill();
}

// Draw @marks on @line of a chart, and put the text of the nearest one below the pointer into @told.
export function showMarks(plot, line, marks, told) {
	const placed = marks.map((mark) => ({ ...mark, value: valueAt(line, mark.time) }))
		.filter(({ value }) => Number.isFinite(value));
	(plot.hooks.draw ??= []).push(({ ctx }) => {
		ctx.save();
		ctx.fillStyle = css("--text");
		for (const { time, value, isEntry } of placed)
			drawMark(ctx, plot.valToPos(time, "x", true), plot.valToPos(value, "y", true), isEntry,
				6 * devicePixelRatio);
		ctx.restore();
	});
	plot.hooks.setCursor = [({ cursor }) => {
		const near = placed.filter(({ time }) => Math.abs(plot.valToPos(time, "x") - cursor.left) < reach);
		told.textContent = near.slice(0, 4).map(({ label }) => label).join("  ");
	}];
	plot.redraw(false);
	return placed.length;
}
