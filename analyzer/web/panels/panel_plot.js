// SPDX-License-Identifier: GPL-3.0-or-later
// Any column of the samples over time, over the number of the sample, or over another column; all samples
// or the last N.
import { chart, tellValues } from "../charts/chart.js";
import { h, replace } from "../base/dom.js";
import { areOfSame } from "../charts/series.js";
import { set, state } from "../base/state.js";
import { css } from "../base/theme.js";
import { exact, format } from "../base/units.js";

const linesMax = 12;
const shapes = [["line", "Line"], ["steps", "Steps"], ["points", "Points"]];

const keyOf = (series) => `${series.set}/${series.column}`;
const nameOf = (series) =>
	`${series.column.replace(/_(ns|bytes)$/, "").replaceAll("_", " ")} (${series.set})`;

// The reading of another column at or before each time.
function valuesAt({ x, y }, times) {
	let at = 0;
	return Float64Array.from(times, (time) => {
		while (at + 1 < x.length && x[at + 1] <= time)
			at++;
		return x[at] <= time ? y[at] : NaN;
	});
}

// uPlot joins equal x: move them apart by less than is visible.
function rising(list) {
	for (let i = 1; i < list.length; i++)
		if (list[i] <= list[i - 1])
			list[i] = list[i - 1] + Math.max(1e-9, Math.abs(list[i - 1]) * 1e-12);
	return Float64Array.from(list);
}

class PlotPanel {
	constructor(app) {
		this.app = app;
		this.bar = h("div.toolbar");
		this.note = h("p.note");
		this.place = h("div.plot-place");
		this.element = h("div.plot", {}, this.bar, h("div.box.plot-box", {}, this.place, this.note));
		new ResizeObserver(() => this.draw()).observe(this.place);
	}

	// The available columns, by name.
	get columns() {
		const names = new Map();
		for (const series of this.app.series.list)
			names.set(keyOf(series), nameOf(series));
		return new Map([...names].sort((a, b) => a[1].localeCompare(b[1])));
	}

	get y() {
		return this.columns.has(state.y) ? state.y : this.columns.has("process/rss_bytes") ?
			"process/rss_bytes" : this.columns.keys().next().value;
	}

	get x() {
		return state.x === "record" || this.columns.has(state.x) ? state.x : "time";
	}

	get shape() {
		const shape = shapes.find(([name]) => name === state.shape)?.[0] ?? "line";
		return shape === "line" && this.columns.has(this.x) ? "points" : shape;
	}

	choose(label, value, options, change) {
		const list = h("select", { "aria-label": label, onchange: () => change(list.value) },
			options.map(([name, text]) => h("option", { value: name, selected: name === value },
			text)));
		return h("label.check", {}, label, list);
	}

	drawBar() {
		const columns = [...this.columns];
		const last = h("input", { type: "number", min: 1, placeholder: "all",
			"aria-label": "only the last samples", value: state.last ?? "",
			onchange: () => set({ last: last.value || undefined }) });
		replace(this.bar, this.choose("y", this.y, columns, (y) => set({ y })),
			this.choose("x", this.x, [["time", "time"], ["record", "number of the sample"],
				...columns], (x) => set({ x })),
			h("div.group", { role: "group", "aria-label": "how it is drawn" },
				shapes.map(([name, title]) => h("button.button",
				{ type: "button", "aria-pressed": String(name === this.shape),
				onclick: () => set({ shape: name }) }, title))),
			h("label.check", {}, "the last", last, "records"));
	}

	// What to draw of one process: readings within the chosen time, the last N of them.
	lineOf(series, i) {
		const { app } = this;
		const points = app.series.points(series);
		let first = points.x.findIndex((time) => time >= app.from),
			end = points.x.findLastIndex((time) => time <= app.to) + 1;
		if (first < 0)
			first = end;
		if (Number(state.last) > 0)
			first = Math.max(first, end - Number(state.last));
		const times = points.x.slice(first, end);
		let x = times, y = points.y.slice(first, end);
		if (this.x === "record") {
			x = Float64Array.from(times, (_, at) => first + at);
		} else if (this.x !== "time") {
			const other = app.series.list.find((one) => areOfSame(one, series) &&
				keyOf(one) === this.x && (one.id === series.id || one.set !== series.set));
			const values = other ? valuesAt(app.series.points(other), times) :
				new Float64Array(times.length).fill(NaN);
			const order = Array.from(times, (_, at) => at).filter((at) =>
				!Number.isNaN(values[at])).sort((a, b) => values[a] - values[b]);
			x = rising(order.map((at) => values[at]));
			y = Float64Array.from(order, (at) => y[at]);
		}
		return { x, y, unit: series.unit,
			label: (series.machine ?? app.model.processName(series.process)) +
				(series.id ? `, ${series.set} ${series.id}` : ""), shape: this.shape,
			colour: i ? `hsl(${(212 + i * 137.5) % 360} 58% 55%)` : css("--accent") };
	}

	draw() {
		if (!this.place.clientWidth)
			return;
		const { app } = this;
		const all = app.series.list.filter((series) => keyOf(series) === this.y);
		const lines = all.slice(0, linesMax).map((series, i) => this.lineOf(series,
			i)).filter((line) => line.x.length > 0);
		replace(this.place);
		if (!lines.length) {
			replace(this.note, "There are no samples here.");
			return;
		}
		const xUnit = app.series.list.find((series) => keyOf(series) === this.x)?.unit ?? "count";
		const ends = lines.flatMap((line) => [line.x[0], line.x.at(-1)]);
		const low = Math.min(...ends), high = Math.max(...ends);
		const byTime = this.x === "time";
		const spread = high > low ? 0 : 1;
		const plot = chart(this.place, { lines, height: Math.max(200,
			this.element.clientHeight - this.bar.offsetHeight - 100), from: low - spread,
			to: high + spread,
			onSelect: byTime ? (from, to) => app.setTime(from, to) : undefined,
				tell: byTime ? undefined : (value) => format(xUnit, value) });
		const thinned = all.some((series) => series.readings < series.rows);
		replace(this.note, h("span.curve-title", {}, lines.map((line) => h("span.key", {},
			h("span.dot", { style: { background: line.colour } }), line.label,
				h("span.now", {})))),
			`${exact("count", lines.reduce((sum, line) => sum + line.x.length, 0))} samples`,
				all.length > linesMax ? `, of ${linesMax} of ${all.length} that have it` : "",
			thinned ?
				"; the page holds only the samples that a curve needs: first, least, " +
				"largest and last of each step" : "",
			app.series.list.find((series) => keyOf(series) === this.y).cumulative ?
				"; counters are shown as rates" : "");
		tellValues(plot, this.note, lines);
	}

	shown() {
		if (!this.columns.size) {
			replace(this.element, h("div.empty", {},
				"No samples: the run was too short, or single threads were chosen."));
			return;
		}
		this.drawBar();
		this.draw();
	}

	update(changed) {
		if (["x", "y", "shape", "last", "from", "to"].some((name) => changed.has(name)))
			this.shown();
	}
}

export const makePlot = (app) => new PlotPanel(app);
