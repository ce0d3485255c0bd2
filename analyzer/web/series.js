// SPDX-License-Identifier: GPL-3.0-or-later
// Resources over time: readings of each process, and their sums over all of them.

// Of one process, or of one machine in one run.
export const areOfSame = (one, other) => one.process === other.process && one.machine === other.machine;

export class Series {
	constructor(block, model) {
		const times = block.numbers("time_ns"), values = block.numbers("value");
		let first = 0;
		this.model = model;
		this.list = block.about.series.map((about) => {
			const series = { ...about, x: times.subarray(first, first + about.readings), y: values.subarray(first, first + about.readings) };
			first += about.readings;
			return series;
		});
	}

	find(set, column) {
		return this.list.filter((series) => series.set === set && series.column === column);
	}

	// What to draw of one: a gauge's readings; of a counter the rate between two readings, at the later one.
	points(series) {
		if (!series.cumulative)
			return { x: series.x, y: series.y };
		if (!series.rates) {
			const x = [], y = [];
			let before = -1;
			for (let i = 0; i < series.x.length; i++) {
				if (Number.isNaN(series.y[i]))
					continue;
				if (before >= 0 && series.x[i] - series.x[before] < series.interval_ns / 2)
					continue;
				if (before >= 0) {
					x.push(series.x[i]);
					y.push(Math.max(0, this.rate(series, before, i)));
				}
				before = i;
			}
			series.rates = { x: Float64Array.from(x), y: Float64Array.from(y) };
		}
		return series.rates;
	}

	// Between two readings, but not above what there is (rate_bounds.h): the whole that it is a part of has the same rows.
	rate(series, before, i) {
		const scale = series.unit === "cores" ? 1 : 1e9;
		const rate = scale * (series.y[i] - series.y[before]) / (series.x[i] - series.x[before]);
		const whole = series.whole && this.list.find((one) => areOfSame(one, series) && one.id === series.id && one.column === series.whole);
		const most = Math.min(series.most ?? Infinity, whole && whole.x.length === series.x.length ? this.rate(whole, before, i) : Infinity);
		return rate > most ? most : rate;
	}

	// Of several processes their sum in @nr steps from @from to @to; of one its points.
	total(set, column, from, to, nr) {
		const list = this.find(set, column);
		if (!list.length)
			return null;
		const { unit, cumulative } = list[0];
		if (list.length === 1)
			return { unit, cumulative, ...this.points(list[0]) };
		const x = Float64Array.from({ length: nr }, (_, i) => from + (i + 1) * (to - from) / nr);
		const y = new Float64Array(nr);
		for (const series of list)
			addSteps(y, this.steps(series, from, to, nr));
		return { unit, cumulative: true, x, y };		// a step holds up to its point
	}

	// One process in equal steps: of a gauge the largest reading of each, or the last one before while it lives.
	steps(series, from, to, nr) {
		const { x, y } = this.points(series);
		const out = new Float64Array(nr).fill(NaN);
		const width = (to - from) / nr;
		for (let i = 0; i < x.length; i++) {
			const last = Math.floor((x[i] - from) / width);
			const first = series.cumulative && i ? Math.floor((x[i - 1] - from) / width) + 1 : last;
			for (let step = Math.max(0, Math.min(first, last)); step <= Math.min(last, nr - 1); step++)
				if (!(out[step] >= y[i]))
					out[step] = y[i];
		}
		const end = series.process < 0 ? to : this.model.processes.numbers("last_ns")[series.process];
		for (let i = 1; i < nr; i++)
			if (Number.isNaN(out[i]) && from + i * width <= end)
				out[i] = out[i - 1];
		return out;
	}
}

// A curve needs two readings.
export const isCurve = (line) => Boolean(line) && line.y.filter((value) => !Number.isNaN(value)).length > 1;

function addSteps(sum, steps) {
	for (let i = 0; i < sum.length; i++)
		sum[i] += steps[i] || 0;
}

// Mean and largest over a part of the time; a rate holds for all of the time before its point.
export function figures({ x, y }, from, to) {
	let sum = 0, time = 0, peak = NaN, peakAt = NaN;
	for (let i = 0; i < x.length; i++) {
		if (Number.isNaN(y[i]) || x[i] < from || x[i] > to)
			continue;
		const width = i ? x[i] - Math.max(x[i - 1], from) : 0;
		sum += y[i] * width;
		time += width;
		if (!(peak >= y[i])) {
			peak = y[i];
			peakAt = x[i];
		}
	}
	return { mean: time ? sum / time : peak, peak, peakAt };
}
