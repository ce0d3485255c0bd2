// SPDX-License-Identifier: GPL-3.0-or-later
// Calls in the lanes: what is told of one, and which one is beside it.
import { exact, format } from "../base/units.js";

export function describeSpan({ spans, app }, { span, row }) {
	const { model } = app;
	const nr = spans.others[span] + 1, busy = spans.duration[span] - spans.idle[span];
	const lines = [nr > 1 ? `${exact("count", nr)} short calls, the longest of ${model.label(spans.func(span))}` : model.label(spans.func(span)),
		["from", `${exact("ns", spans.start[span])}`], [nr > 1 ? "over" : "took", exact("ns", spans.duration[span])]];
	if (nr > 1)
		lines.push(["took", `${exact("ns", busy)} together`]);
	if (nr > 1 && spans.flags[span] & 1)
		lines.push(["", "of several functions or paths"]);
	if (spans.heap[span])
		lines.push(["heap", `${spans.heap[span] > 0 ? "+" : ""}${format("bytes", spans.heap[span])} by this thread`]);
	if (spans.flags[span] & 2)
		lines.push(["", "had no exit: its end is when that was noticed"]);
	if (spans.flags[span] & 4)
		lines.push(["", nr > 1 ? "the last of them has not ended" : "has not ended: open when the process was last seen"]);
	lines.push(["thread", `${model.threadName(row.thread)}, ${model.processName(row.process)}`]);
	return lines;
}

// Of a process's head; null: nothing is there.
export function describeRow({ app }, { row }) {
	return row?.kind === "process" ? [app.model.processName(row.process), ["ended", app.model.processes.texts("end")(row.process)]] : null;
}

const within = (lane, span) => Math.min(lane.end - 1, Math.max(lane.first, span));

export function firstSpan({ rows, spans, app }) {
	const row = rows.find((one) => one.kind === "thread" && one.lanes[0]);
	return row ? { row, lane: row.lanes[0], span: within(row.lanes[0], spans.after(row.lanes[0], app.from) - 1) } : null;
}

// The one that an arrow key leads to from the focused one; null: there is none.
export function spanBeside({ rows, spans, focus }, key) {
	const { row, lane, span } = focus;
	if (key === "ArrowLeft")
		return span > lane.first ? { row, lane, span: span - 1 } : null;
	if (key === "ArrowRight")
		return span + 1 < lane.end ? { row, lane, span: span + 1 } : null;
	const middle = spans.start[span] + spans.duration[span] / 2;
	const next = row.lanes[row.lanes.indexOf(lane) + (key === "ArrowDown" ? 1 : -1)];
	if (next)
		return { row, lane: next, span: within(next, spans.after(next, middle) - (key === "ArrowUp" ? 1 : 0)) };
	const threads = rows.filter((one) => one.kind === "thread");
	const other = threads[threads.indexOf(row) + (key === "ArrowDown" ? 1 : -1)];
	const to = other && (key === "ArrowDown" ? other.lanes[0] : other.lanes.at(-1));
	return to ? { row: other, lane: to, span: within(to, spans.after(to, middle) - 1) } : null;
}
