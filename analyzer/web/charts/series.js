// SPDX-License-Identifier: GPL-3.0-or-later
// Resources over time: readings of each process, and sums over all processes.
import { inSteps, sumOf } from "./sums.js";

// Whether two series are of one process, or of one machine in one run.
export const areOfSame = (one, other) => one.process === other.process && one.machine === other.machine;

export class Series {
	constructor(sheet, model) {
		const times = sheet.numbers("time_ns"), values = sheet.numbers("value");
		let first = 0;
		this.model = model;
		this.sums = new Map();
		this.list = sheet.about.series.map((about) => {
			const series = { ...about, x: times.subarray(first, first + about.readings),
				y: values.subarray(first, first + about.readings) };
			first += about.readings;
			return series;
		});
	}

	find(set, column) {
		return this.list.filter((series) => series.set === set && series.column === column);
	}

	// What to draw of a series: the readings of a gauge; for a counter the rate between two readings,
	// at the later one.
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
			series.rates = { x: Float64Array.from(x), y: Float64Array.from(y),
				begin: series.x[series.y.findIndex((value) => !Number.isNaN(value))] };
		}
		return series.rates;
	}

	// The rate between two readings, limited to what is possible (rate_bounds.h): the column that
	// contains this one has the same rows.
	rate(series, before, i) {
		const scale = series.unit === "cores" ? 1 : 1e9;
		const rate = scale * (series.y[i] - series.y[before]) / (series.x[i] - series.x[before]);
		const whole = series.whole && this.list.find((one) => areOfSame(one, series) &&
			one.id === series.id && one.column === series.whole);
		const most = Math.min(series.most ?? Infinity,
			whole && whole.x.length === series.x.length ? this.rate(whole, before, i) : Infinity);
		return rate > most ? most : rate;
	}

	// The lifetime of a process, and the CPU time that is known for all of it.
	process(series, number = series.process) {
		const of = (name) => this.model.processes.numbers(name)[number];
		return number < 0 ? { start: NaN, last: this.model.end } :
			{ start: of("start_ns"), last: of("last_ns"), cpu: of("cpu_ns"),
			cpuBefore: of("cpu_before_ns") };
	}

	// The sum over several processes, or the points of a single one: { unit, cumulative, x, y }
	exact(set, column) {
		const name = `${set}/${column}`;
		if (!this.sums.has(name))
			this.sums.set(name, this.find(set, column).length ? this.findExact(set, column) :
				null);
		return this.sums.get(name);
	}

	findExact(set, column) {
		const ofCpu = set === "process" && column === "cpu_ns";
		const list = this.find(set, column).map((series) =>
			({ series, points: this.points(series), process: this.process(series) }));
		const { unit, cumulative, most_of_all: most } = list[0].series;
		if (ofCpu) {
			const seen = new Set(list.map((one) => one.series.process));
			for (let i = 0; i < this.model.processes.rows; i++)
				if (!seen.has(i) && this.process(null, i).cpu > 0)
					list.push({ process: this.process(null, i) });
		}
		return list.length === 1 && !ofCpu ? { unit, cumulative, ...list[0].points } :
			{ unit, cumulative: true, ofRate: cumulative, ...sumOf(list, ofCpu, most) };
	}

	// What to draw: a sum in @nr steps from @from to @to.
	total(set, column, from, to, nr) {
		const exact = this.exact(set, column);
		return !exact || exact.ofRate === undefined ? exact :
			{ ...exact, ...inSteps(exact, exact.ofRate, from, to, nr) };
	}
}

// A curve needs two readings.
export const isCurve = (line) => Boolean(line) && line.y.filter((value) => !Number.isNaN(value)).length > 1;

// Mean and largest value over a part of the time. A rate holds until its point, a size from it on.
export function figures({ x, y, cumulative }, from, to) {
	let sum = 0, time = 0, peak = NaN, peakAt = NaN;
	for (let i = 0; i < x.length; i++) {
		const begin = cumulative && i ? x[i - 1] : x[i], end = cumulative ? x[i] : x[i + 1] ?? x[i];
		const width = Math.min(end, to) - Math.max(begin, from);
		if (Number.isNaN(y[i]) || width < 0 || (width === 0 && end > begin))
			continue;
		sum += y[i] * width;
		time += width;
		if (!(peak >= y[i])) {
			peak = y[i];
			peakAt = cumulative ? Math.min(end, to) : Math.max(begin, from);
		}
	}
	return { mean: time ? sum / time : peak, peak, peakAt };
}
