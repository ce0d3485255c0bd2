// SPDX-License-Identifier: GPL-3.0-or-later
// What several processes use together at each time, added up as in analyzer/resources/series.c.

const late = 1e8;	// ns

// Call f(from, to, value) for each stretch of what a process used.
function eachPart({ series, points, process }, f) {
	const { x, y, begin } = points;
	if (series.cumulative) {
		for (let i = 0; i < x.length; i++)
			f(i ? x[i - 1] : begin, x[i], y[i]);
		return;
	}
	let before = -1;
	for (let i = 0; i < x.length; i++) {
		if (Number.isNaN(y[i]))
			continue;
		if (before >= 0)
			f(x[before], x[i], y[before]);
		// the process may have been idle for long before, and smaller
		else if (x[i] - process.start <= late)
			f(process.start, x[i], y[i]);
		before = i;
	}
	if (before >= 0)
		f(x[before], process.last, y[before]);
}

// Spread the CPU time before the first reading and after the last rate; without readings, all of it.
function eachEnd({ series, points, process }, f) {
	const most = series?.most ?? (series ? Infinity : 1);
	const rest = (from, before, to, after) => to > from && after > before &&
		f(from, to, Math.min(most, (after - before) / (to - from)));
	const first = series ? series.y.findIndex((value) => !Number.isNaN(value)) : -1;
	if (first < 0) {
		rest(process.start, process.cpuBefore, process.last, process.cpu);
		return;
	}
	const last = series.x.lastIndexOf(points.x.at(-1) ?? series.x[first]);
	rest(process.start, process.cpuBefore, series.x[first], series.y[first]);
	rest(series.x[last], series.y[last], process.last, process.cpu);
}

function placeOf(times, time) {
	let low = 0, high = times.length - 1;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (times[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// @list: { series, points, process: { start, last } }; for CPU time also cpu and cpuBefore, a number or
// NaN. Return: { x, y }; y[i] holds until x[i]
export function sumOf(list, ofCpu, most = Infinity) {
	const parts = [];
	const add = (from, to, value) => to > from && Number.isFinite(value) && parts.push(from, to, value);
	for (const one of list) {
		if (one.series)
			eachPart(one, add);
		if (ofCpu)
			eachEnd(one, add);
	}
	const times = new Float64Array(parts.length / 3 * 2);
	for (let i = 0; i < parts.length; i += 3)
		times.set([parts[i], parts[i + 1]], i / 3 * 2);
	const x = times.sort().filter((time, i) => !i || time !== times[i - 1]);
	const y = new Float64Array(x.length + 1);
	for (let i = 0; i < parts.length;
		i += 3) {		// first the changes, then what holds until the next time
		y[placeOf(x, parts[i]) + 1] += parts[i + 2];
		y[placeOf(x, parts[i + 1]) + 1] -= parts[i + 2];
	}
	let now = 0;
	for (let i = 0; i < y.length; i++) {
		now += y[i];
		y[i] = now < 1e-9 ? 0 : Math.min(now, most);	// remove what rounding leaves
	}
	return { x, y: y.subarray(0, x.length) };
}

// In @nr equal steps: of a gauge the largest value in each step, of a rate the mean.
export function inSteps({ x, y }, ofRate, from, to, nr) {
	const width = (to - from) / nr;
	const out = { x: Float64Array.from({ length: nr }, (_, i) => from + (i + 1) * width),
		y: new Float64Array(nr) };
	for (let i = Math.max(1, placeOf(x, from)); i < x.length && x[i - 1] < to; i++) {
		const begin = Math.max(from, x[i - 1]), end = Math.min(to, x[i]);
		for (let step = Math.floor((begin - from) / width); step < nr && from + step * width < end;
			step++) {
			const part = Math.min(end, from + (step + 1) * width) - Math.max(begin,
				from + step * width);
			if (ofRate)
				out.y[step] += y[i] * Math.max(0, part) / width;
			else if (part > 0 && y[i] > out.y[step])
				out.y[step] = y[i];
		}
	}
	return out;
}
