// SPDX-License-Identifier: GPL-3.0-or-later
// What happened at an instant, drawn over the lanes: events of processes, what the program reported
// (insideme.h), exceptions of threads, and the largest memory of all processes.
import { axisHeight, headHeight } from "./lanes.js";
import { figures } from "./series.js";
import { css } from "../base/theme.js";
import { at, exact, format } from "../base/units.js";

const eventNames = { 1: "threshold of single calls rose", 2: "fork", 3: "exec",
	9: "memory reached its limit" };

function eventsOf(events) {
	const kind = events.numbers("kind"), time = events.numbers("time_ns"),
		process = events.numbers("process");
	const texts = events.texts("text");
	return Array.from(kind, (_, i) => i).filter((i) => eventNames[kind[i]]).map((i) => ({
		time: time[i], process: process[i], colour: kind[i] === 1 ? "--warn" : "--accent",
			lines: [`${eventNames[kind[i]]} ${texts(i)}`.trim()] }));
}

// The view names a process by its pid, which an earlier process may have had.
function saidBy(model, pid, time) {
	const pids = model.processes.numbers("pid"), last = model.processes.numbers("last_ns");
	const found = pids.findIndex((one, i) => one === pid && time <= last[i]);
	return found < 0 ? pids.indexOf(pid) : found;
}

function saidOf(model, said) {
	const marks = [];
	for (let i = 0; i < (said?.rows ?? 0); i++) {
		const kind = said.value("kind", i), time = said.value("time_ns", i);
		if (kind !== "timer")		// timers have calls of their own among the regions and timers
			marks.push({ time, process: saidBy(model, said.value("pid", i), time),
				colour: kind === "failure" ? "--bad" : "--good",
				lines: [[kind, said.value("name", i), said.value("text",
					i)].filter(Boolean).join(" "),
					["in", said.value("function", i) ?? "no function"]] });
	}
	return marks;
}

function thrownOf(thrown) {
	const caught = thrown.numbers("caught_ns"), time = thrown.numbers("time_ns");
	const kind = thrown.texts("kind"), type = thrown.texts("type"), message = thrown.texts("message");
	return Array.from(time, (_, i) => ({
		time: time[i], thread: thrown.numbers("thread")[i], colour: "--bad",
		lines: [[kind(i), type(i)].filter(Boolean).join(" "), ["message", message(i)],
			["caught",
				Number.isNaN(caught[i]) ? "" :
				`after ${exact("ns", caught[i] - time[i])}`]].filter((line) => line[1]),
	}));
}

function largestRss(app) {
	const rss = app.series.exact("process", "rss_bytes");
	if (!rss?.x.length)
		return [];
	const { peak, peakAt } = figures(rss, 0, app.model.end);
	return Number.isNaN(peak) ? [] : [{ time: peakAt, colour: "--curve-rss",
		lines: [`largest RSS: ${format("bytes", peak)}`] }];
}

export class Marks {
	static async open(app) {
		const [events, said, thrown] = await Promise.all(["events", "marks.marks",
			"thrown"].map((name) => app.model.data.sheet(name)));
		return new Marks([...eventsOf(events), ...saidOf(app.model, said), ...thrownOf(thrown),
			...largestRss(app)]);
	}

	// Marks by the row that they are drawn in, each list in the order of time.
	constructor(list) {
		this.rows = new Map();
		for (const mark of list.sort((a, b) => a.time - b.time)) {
			const key = mark.thread !== undefined ? `thread ${mark.thread}` :
				mark.process !== undefined ? `process ${mark.process}` : "all";
			if (!this.rows.has(key))
				this.rows.set(key, []);
			this.rows.get(key).push(mark);
		}
	}

	of(row) {
		return this.rows.get(row ? `${row.kind} ${row[row.kind]}` : "all") ?? [];
	}

	// At most one for each pixel.
	draw(lanes, height) {
		const { g, app } = lanes;
		for (const row of [null, ...lanes.rows]) {
			const top = row ? row.y - lanes.element.scrollTop : axisHeight;
			let before = -1;
			for (const mark of top > height || (row && top + row.height < 0) ? [] :
				this.of(row)) {
				const x = Math.round(lanes.toX(mark.time));
				if (mark.time < app.from || mark.time > app.to || x === before)
					continue;
				before = x;
				g.fillStyle = css(mark.colour);
				if (!row)
					drawDashes(g, x, height);
				else if (row.kind === "process")
					drawDiamond(g, x, top + headHeight / 2 + 1);
				else
					drawFlag(g, x, top, row.height);
			}
		}
	}

	// What to show of the mark in a row (null: of all rows) near @x, and how many more are there; null:
	// there is none.
	near(lanes, row, x) {
		const close = this.of(row).filter((mark) => Math.abs(lanes.toX(mark.time) - x) < 5);
		return close.length ? [...close[0].lines, ["at", at(close[0].time, 1e3)],
			...close.length > 1 ? [["", `and ${exact("count", close.length - 1)} more here`]] :
				[]] : null;
	}
}

function drawDashes(g, x, height) {
	for (let y = axisHeight; y < height; y += 7)
		g.fillRect(x, y, 1, 4);
}

function drawDiamond(g, x, y) {
	g.beginPath();
	g.moveTo(x, y - 7);
	g.lineTo(x + 5, y);
	g.lineTo(x, y + 7);
	g.lineTo(x - 5, y);
	g.fill();
}

function drawFlag(g, x, top, height) {
	g.fillRect(x, top, 1, height);
	g.beginPath();
	g.moveTo(x, top);
	g.lineTo(x + 8, top + 4);
	g.lineTo(x, top + 8);
	g.fill();
}
