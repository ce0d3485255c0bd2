// SPDX-License-Identifier: GPL-3.0-or-later
// Processes and ranks: what each takes of the time, memory over time, and how evenly functions are spread
// over them.
import { chart } from "../charts/chart.js";
import { h, hideTip, ofWholeRun, replace, showTip } from "../base/dom.js";
import { makeFields } from "./fields.js";
import { makeMessages } from "./messages.js";
import { colourOf, shares } from "../charts/shares.js";
import { set, state } from "../base/state.js";
import { Table, tableOf } from "../base/table.js";
import { css } from "../base/theme.js";
import { exact, format, plural } from "../base/units.js";

const linesMax = 40;	// more curves are not readable

function memoryChart(app, place) {
	const all = app.series.find("process", "rss_bytes").filter((series) => series.readings > 1);
	const order = all.map((series) => [series, series.y.reduce((most, value) => value > most ? value :
		most, 0)]).sort((a, b) => b[1] - a[1]);
	const shown = order.slice(0, linesMax).map(([series]) =>
		({ x: series.x, y: series.y, unit: "bytes", label: app.model.processName(series.process),
		colour: colourOf(series.process) }));
	if (!shown.length) {
		replace(place, h("p.note", {}, "No process lived long enough for two samples."));
		return;
	}
	replace(place, h("p.note", {}, order.length > shown.length ?
		`RSS of the ${linesMax} largest of ${order.length}; from the start of the first to the ` +
		`end of the last, one axis for all` :
		"RSS; from the start of the first to the end of the last, one axis for all"));
	const plot = chart(place, { lines: shown, height: 220, from: app.from, to: app.to,
		onSelect: (from, to) => app.setTime(from, to) });
	plot.over.addEventListener("pointermove", (event) => {
		const near = shown.map((line, i) => [line, plot.data[i + 1][plot.cursor.idx]]).filter(([,
			value]) => value !== null && value !== undefined)
			.sort((a, b) => Math.abs(plot.valToPos(a[1],
				"y") - plot.cursor.top) - Math.abs(plot.valToPos(b[1],
				"y") - plot.cursor.top))[0];
		if (near)
			showTip([near[0].label, ["RSS", format("bytes", near[1])]], event.clientX,
				event.clientY);
	});
	plot.over.addEventListener("pointerleave", hideTip);
}

// A row for each function: max / mean over the processes, the process with most, and a small bar for each
// process.
function imbalance(app, sheet) {
	const { model } = app;
	const nr = model.processes.rows, functions = sheet.numbers("function");
	const self = sheet.numbers("self_ns"), calls = sheet.numbers("calls");
	const byTime = model.about.has_times;
	const taking = Array.from(model.processes.numbers("calls"),
		(value, i) => value > 0 ? i : -1).filter((i) => i >= 0);
	const rows = Array.from(functions, (number, row) => {
		const values = Float64Array.from(taking, (i) => (byTime ? self : calls)[row * nr + i]);
		let sum = 0, most = 0, least = Infinity, who = 0, without = 0;
		values.forEach((value, i) => {
			sum += value;
			without += calls[row * nr + taking[i]] === 0;
			if (value > most) {
				most = value;
				who = taking[i];
			}
			least = Math.min(least, value);
		});
		const mean = sum / taking.length;
		return { number, values, sum, most, least, mean, who, without,
			ratio: mean ? most / mean : NaN, lost: most - mean };
	});
	const unit = byTime ? "ns" : "count";
	const cell = (key) => (row) => h("span", { title: exact(unit, row[key]) }, format(unit, row[key]));
	return new Table({
		label: "imbalance", rows, sort: { key: "lost", reverse: false }, height: 420,
			empty: "No function was called.",
		onOpen: (row) => app.select(row.number), selected: (row) => row.number === app.selected,
		columns: [
			{ key: "function", title: "Function", left: true, width: 220, grow: 2,
				value: (row) => model.label(row.number),
				show: (row) => h("span.name", {}, h("span.dot",
					{ style: { background: model.colour(row.number) } }),
					model.label(row.number)) },
			{ key: "ratio", title: "Max / mean", hint: "1: all processes have the same",
				value: (row) => row.ratio, show: (row) => Number.isNaN(row.ratio) ? "" :
				row.ratio.toFixed(2), width: 90 },
			{ key: "lost", title: "Max − mean",
				hint: "how much longer the slowest takes than the mean",
				value: (row) => row.lost, show: cell("lost"), width: 104 },
			{ key: "mean", title: "Mean", value: (row) => row.mean, show: cell("mean") },
			{ key: "most", title: "Max", value: (row) => row.most, show: cell("most") },
			{ key: "least", title: "Min", value: (row) => row.least, show: cell("least") },
			{ key: "who", title: "Most in", left: true, width: 130,
				value: (row) => model.processName(row.who) },
			{ key: "without", title: "Without", hint: "processes that did not call it",
				value: (row) => row.without, width: 76 },
			{ key: "spread", title: "By process", left: true, width: 180, grow: 1,
				value: (row) => row.ratio, show: (row) => spread(row) },
		],
	});
}

// A bar for each process; where several share a pixel, the largest.
function spread(row) {
	const width = 180, height = 18;
	const ratio = devicePixelRatio;
	const canvas = h("canvas", { width: width * ratio, height: height * ratio,
		style: { width: `${width}px`, height: `${height}px`, display: "block" } });
	const g = canvas.getContext("2d");
	g.scale(ratio, ratio);
	g.fillStyle = css("--accent");
	const step = width / row.values.length;
	row.values.forEach((value, i) => {
		const tall = row.most ? value / row.most * height : 0;
		g.fillRect(i * step, height - tall, Math.max(1, step - (step > 3 ? 1 : 0)), tall);
	});
	return canvas;
}

export function makeProcesses(app) {
	const { model } = app;
	const place = h("div");
	const ofProcesses = [["functions_ns", "Time in functions", "ns"], ["cpu_ns", "CPU time", "ns"],
		["peak_rss_bytes", "Peak RSS", "bytes"], ["calls", "Calls", "count"]];
	const ofThreads = [["functions_ns", "Time in functions", "ns"], ["on_cpu_ns", "On CPU", "ns"],
		["waiting_ns", "Waiting", "ns"], ["calls", "Calls", "count"],
		["alloc_bytes", "Allocated", "bytes"]];
	const holder = h("div"), even = h("div"), fields = h("div"), list = h("div"), threads = h("div"),
		sent = h("div"), buttons = h("div.group");
	const element = h("div.processes", {},
		h("div.pair", {}, h("section.box", {}, h("h2", {}, "Shares",
			h("span.h2-note", {}, model.processes.rows > 1 ? "of processes" : "of threads")),
			buttons, holder), h("section.box", {}, h("h2", {}, "Memory over time"), place)),
		sent, fields, even, h("section.box", {}, h("h2", {}, "Processes", ofWholeRun()), list),
			h("section.box", {}, h("h2", {}, "Threads", ofWholeRun()), threads));
	let sheet = null, threadSheet = null, fieldRows = null, fieldsOf = null, part = null, messages = null;

	// For a single process: the shares of its threads.
	const drawShares = () => {
		if (part) {
			drawSharesOfPart();
			return;
		}
		const one = model.processes.rows === 1 && threadSheet?.rows;
		const values = one ? (name) => threadSheet.numbers(name) : valuesOf,
			of = one ? threadSheet : sheet;
		const nameOf = one ?
			(i) => `${threadSheet.value("thread_name", i) ?? "thread"} ` +
			`${threadSheet.value("thread", i)}` : (i) => model.processName(i);
		const offered = (one ? ofThreads : ofProcesses).filter(([name]) => of?.has(name) ||
			(!one && model.processes.has(name)));
		const [name, , unit] = offered.find(([measure]) => measure === state.share) ??
			offered.find(([measure]) => values(measure).some((value) => value > 0)) ?? offered[0];
		drawChoice(offered, name);
		replace(holder, shares(Array.from(values(name),
			(value, i) => ({ name: nameOf(i), value: value || 0, colour: colourOf(i) })), unit,
			one ? "shares of the threads" : "shares of the processes"));
	};
	const drawSharesOfPart = () => {
		const one = model.processes.rows === 1, offered = (one ? ofThreads :
			ofProcesses).filter(([name]) => name === "functions_ns" || name === "calls");
		const [name, , unit] = offered.find(([measure]) => measure === state.share) ?? offered[0];
		const values = one ? part.threads()[name] : part.processes.map((process) => process[name]);
		drawChoice(offered, name);
		replace(holder, shares(Array.from(values, (value,
			i) => ({ name: one ? model.threadName(i) : model.processName(i), value,
			colour: colourOf(i) })), unit, one ? "shares of the threads" :
			"shares of the processes"));
	};
	const drawChoice = (offered, name) => replace(buttons, offered.map(([measure, title]) =>
		h("button.button", { type: "button", "aria-pressed": String(measure === name),
			onclick: () => set({ share: measure }) }, title)));
	// The view's rows are in the order of the tree, so they are matched by pid.
	const valuesOf = (name) => {
		if (model.processes.has(name))
			return model.processes.numbers(name);
		const pids = sheet.numbers("pid"), found = new Map(Array.from(pids,
			(pid, row) => [pid, row]));
		return Float64Array.from(model.processes.numbers("pid"),
			(pid) => found.has(pid) ? sheet.numbers(name)[found.get(pid)] || 0 : 0);
	};
	(async () => {
		const [processes, ranks, threadRows, messageRows, lateRows, ...fieldSheets] =
			await Promise.all(["processes.processes", "ranks", "threads.threads", "messages.messages",
			"late.late", "fields.fields", "fields.processes"].map((name) => model.data.sheet(name)));
		sheet = processes;
		threadSheet = threadRows;
		[fieldRows, fieldsOf] = fieldSheets;
		messages = makeMessages(app, messageRows, lateRows);
		replace(sent, messages?.element);
		const nrWithCalls = model.processes.numbers("calls").filter((value) => value > 0).length;
		if (ranks && model.nrFunctions)
			replace(even, h("section.box", {}, h("h2", {}, "How even",
				h("span.h2-note", {},
				`self time of the ${plural(ranks.numbers("function").length, "function")} ` +
					`with most of it, over the ${plural(nrWithCalls, "process")} that ` +
					`have any; open calls are left out`,
				ofWholeRun())), imbalance(app, ranks).element));
		replace(list, tableOf(processes, { label: "processes", height: 380 }).element);
		replace(threads, threadRows ? tableOf(threadRows, { label: "threads", height: 380 }).element :
			h("p.note", {}, "none"));
		drawFigures();
	})();
	const drawFigures = async () => {
		part = await app.part();
		if (!sheet)
			return;
		drawShares();
		replace(fields, model.nrFunctions ? makeFields(app, fieldRows, fieldsOf, part) : null);
	};
	const draw = () => memoryChart(app, place);
	let timer = 0;
	new ResizeObserver(draw).observe(place);
	return {
		element, shown: () => { draw(); drawFigures(); },
		get matrix() {
			return messages?.matrix;
		},
		update: (changed) => {
			if (changed.has("pairs"))
				messages?.draw();
			if (changed.has("share") && sheet)
				drawShares();
			if (changed.has("from") || changed.has("to"))
				draw();
			if (["from", "to", "whole"].some((name) => changed.has(name))) {
				clearTimeout(timer);
				timer = setTimeout(drawFigures, 120);
			}
		},
	};
}
