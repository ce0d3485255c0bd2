// SPDX-License-Identifier: GPL-3.0-or-later
// Curves over time by uPlot: axes with units, one crosshair over all charts, a part of the time chosen by dragging.
import uPlot from "uplot";
import { at, format } from "./units.js";
import { css } from "./theme.js";

const steps = uPlot.paths.stepped({ align: -1 });

// A line is drawn as its shape says ("line", "steps", "points"), else what counts up in steps.
function shapeOf({ shape, cumulative, colour }) {
	if (shape === "points")
		return { points: { show: true, size: 4, stroke: colour, fill: colour }, paths: () => null };
	return { points: { show: false }, paths: shape === "steps" || (shape === undefined && cumulative) ? steps : undefined };
}

// lines: [{ label, unit, colour, x, y, fill, cumulative, shape }]; x is time unless tell(x) says what stands at its axis
export function chart(parent, { lines, height, from, to, onSelect, axis = true, width, gutter = 72, tell }) {
	const data = align(lines);
	const unit = lines[0]?.unit ?? "";
	const grid = { stroke: css("--grid"), width: 1 };
	const plot = new uPlot({
		width: Math.max(120, width ?? parent.clientWidth), height,
		padding: [8, axis ? 28 : 0, axis ? 0 : 4, 0],	// half of the last time's text goes beyond the axis
		legend: { show: false },
		scales: { x: { time: false, min: from, max: to }, y: { range: (_, min, max) => [Math.min(0, min ?? 0), max > 0 ? max * 1.08 : 1] } },
		cursor: { sync: tell ? undefined : { key: "time" }, drag: { x: Boolean(onSelect), y: false, setScale: false }, points: { size: 5 } },
		axes: [
			{ show: axis, stroke: css("--faint"), font: "11px system-ui, sans-serif", grid, ticks: { show: false }, size: 24,
				values: (_, splits, __, ___, step) => splits.map((value) => tell ? tell(value) : at(value, step)) },
			{ stroke: css("--faint"), font: "11px system-ui, sans-serif", grid, ticks: { show: false }, size: gutter, gap: 6,
				space: 26, incrs: unit.startsWith("bytes") ? binary : decimal, values: (_, splits) => splits.map((value) => format(unit, value)) },
		],
		series: [{}, ...lines.map((line) => ({
			label: line.label, stroke: line.colour, width: 1.5, fill: line.fill, spanGaps: true, ...shapeOf(line),
		}))],
		hooks: {
			setSelect: [(self) => {
				if (!onSelect || self.select.width < 3)
					return;
				onSelect(self.posToVal(self.select.left, "x"), self.posToVal(self.select.left + self.select.width, "x"));
				self.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
			}],
		},
	}, data, parent);
	return plot;
}

const binary = Array.from({ length: 60 }, (_, i) => 2 ** i);
const decimal = Array.from({ length: 24 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** (i - 6))).flat();

// uPlot wants one x for all lines: those of different sets are joined.
function align(lines) {
	if (!lines.length)
		return [[]];
	if (lines.every((line) => line.x === lines[0].x || sameTimes(line.x, lines[0].x)))
		return [lines[0].x, ...lines.map((line) => line.y)];
	return uPlot.join(lines.map((line) => [line.x, line.y]));
}

const sameTimes = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
