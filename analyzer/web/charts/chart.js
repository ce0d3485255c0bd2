// SPDX-License-Identifier: GPL-3.0-or-later
// Curves over time by uPlot: axes with units, one crosshair over all charts, and dragging to choose a part
// of the time.
import uPlot from "uplot";
import { css } from "../base/theme.js";
import { at, format } from "../base/units.js";

const steps = uPlot.paths.stepped({ align: -1 });

// A line has the shape that it asks for; otherwise, counters have steps.
const shapeNameOf = ({ shape, cumulative }) => shape ?? (cumulative ? "steps" : "line");

function shapeOf(line) {
	const shape = shapeNameOf(line), { colour } = line;
	if (shape === "points")
		return { points: { show: true, size: 4, stroke: colour, fill: colour }, paths: () => null };
	return { points: { show: false }, paths: shape === "steps" ? steps : undefined };
}

// The range of a line between @from and @to, including the segments that cross the borders.
function extent(x, y, shape, from, to, range) {
	const add = (value) => {
		range.min = Math.min(range.min, value);
		range.max = Math.max(range.max, value);
	};
	for (let i = 0, before = -1; i < x.length && !(before >= 0 && x[before] > to); i++) {
		if (y[i] === null || y[i] === undefined)
			continue;
		const begin = Math.max(from, x[before]), end = Math.min(to, x[i]);
		const at = (time) => y[before] + (y[i] - y[before]) * (time - x[before]) / (x[i] - x[before]);
		if (x[i] >= from && x[i] <= to)
			add(y[i]);
		if (before >= 0 && begin < end && shape === "steps")
			add(y[i]);
		else if (before >= 0 && begin < end && shape === "line")
			[begin, end].forEach((time) => add(at(time)));
		before = i;
	}
}

// lines: [{ label, unit, colour, x, y, fill, cumulative, shape }]; x is time, unless tell(x) gives the
// labels of its axis
export function chart(parent, { lines, height, from, to, onSelect, axis = true, width, gutter = 72, tell }) {
	const data = align(lines);
	let shown = [from, to];		// uPlot sets x first, and then asks for the range of y
	const rangeOfY = () => {
		const range = { min: 0, max: 0 };
		lines.forEach((line, i) => extent(data[0], data[i + 1], shapeNameOf(line), ...shown, range));
		return [range.min, range.max > 0 ? range.max * 1.08 : 1];
	};
	const unit = lines[0]?.unit ?? "";
	const grid = { stroke: css("--grid"), width: 1 };
	const plot = new uPlot({
		width: Math.max(120, width ?? parent.clientWidth), height,
		// half of the last label reaches beyond the axis
		padding: [8, axis ? 28 : 0, axis ? 0 : 4, 0],
		legend: { show: false },
		scales: { x: { time: false, min: from, max: to,
			range: (_, min, max) => shown = [min, max > min ? max : min + 1] },
			y: { range: rangeOfY } },
		cursor: { sync: tell ? undefined : { key: "time" },
			drag: { x: Boolean(onSelect), y: false, setScale: false }, points: { size: 5 } },
		axes: [
			{ show: axis, stroke: css("--faint"), font: "11px system-ui, sans-serif", grid,
				ticks: { show: false }, size: 24,
				values: (_, splits, __, ___, step) => splits.map((value) => tell ?
					tell(value) : at(value, step)) },
			{ stroke: css("--faint"), font: "11px system-ui, sans-serif", grid,
				ticks: { show: false }, size: gutter, gap: 6,
				space: 26, incrs: unit.startsWith("bytes") ? binary : decimal,
					values: (_, splits) => splits.map((value) => format(unit, value)) },
		],
		series: [{}, ...lines.map((line) => ({
			label: line.label, stroke: line.colour, width: 1.5, fill: line.fill, spanGaps: true,
				...shapeOf(line),
		}))],
		hooks: {
			setSelect: [(self) => {
				if (!onSelect || self.select.width < 3)
					return;
				onSelect(self.posToVal(self.select.left, "x"),
					self.posToVal(self.select.left + self.select.width, "x"));
				self.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
			}],
		},
	}, data, parent);
	return plot;
}

// Show the values at the cursor in the elements "now" of @place, one for each line.
export function tellValues(plot, place, lines) {
	const texts = place.querySelectorAll(".now");
	plot.hooks.setCursor = [({ cursor, data }) => lines.forEach((line, i) => {
		const value = cursor.idx === null ? null : data[i + 1][cursor.idx];
		texts[i].textContent = value === null || value === undefined ? "" : format(line.unit, value);
	})];
}

const binary = Array.from({ length: 60 }, (_, i) => 2 ** i);
const decimal = Array.from({ length: 24 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** (i - 6))).flat();

// For uPlot, null means not known; it takes NaN for 0.
const known = (y) => y.some(Number.isNaN) ? Array.from(y, (value) => Number.isNaN(value) ? null : value) : y;

// uPlot needs one x for all lines, so those of different sets are joined.
function align(lines) {
	if (!lines.length)
		return [[]];
	if (lines.every((line) => line.x === lines[0].x || sameTimes(line.x, lines[0].x)))
		return [lines[0].x, ...lines.map((line) => known(line.y))];
	return uPlot.join(lines.map((line) => [line.x, known(line.y)]));
}

const sameTimes = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
