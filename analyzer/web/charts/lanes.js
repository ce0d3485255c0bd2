// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes of calls, drawn on a canvas as large as the window, so that only visible calls cost anything.
// Spans narrower than a pixel are passed a pixel at a time.
import { bitsOf, blend, fit, Pixels } from "./canvas.js";
import { h, hideTip, showTip } from "../base/dom.js";
import { tellStates } from "../base/states.js";
import { css } from "../base/theme.js";
import { at, exact, format } from "../base/units.js";

export const gutter = 176, headHeight = 26, axisHeight = 24;
const tall = 18, small = 5, gap = 8;
const strip = 6, stripAlone = 14;	// what a thread did, above its calls
const roomForAll = 2400;	// px that threads may take before they are drawn small

export class Lanes {
	constructor(app, spans, redraw, states) {
		Object.assign(this, { app, spans, redraw, states });
		this.open = new Map();	// thread: drawn tall
		this.focus = null;
		this.pixels = new Pixels();
		this.canvas = h("canvas.lanes-canvas");
		this.space = h("div.lanes-space");
		this.element = h("div.lanes", {
			tabIndex: 0, role: "application",
				"aria-label": "calls over time: arrows go from call to call, Enter " +
				"chooses the function, w a s d zoom and move",
			onscroll: () => this.redraw(), onpointerdown: (event) => this.press(event),
				onpointermove: (event) => this.move(event),
			onpointerup: (event) => this.release(event), onpointerleave: hideTip,
				ondblclick: (event) => this.zoomTo(this.hit(event)),
			onkeydown: (event) => this.key(event),
		}, this.canvas, this.space);
		this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.layOut();
	}

	// Lay out rows from top to bottom: the head of a process, then the lanes of each of its threads.
	layOut() {
		const { model } = this.app;
		const process = model.threads.numbers("process");
		const heights = [...this.spans.threads.values()].reduce((sum,
			lanes) => sum + lanes.length * tall + gap, 0);
		this.compact ??= heights > roomForAll;
		this.rows = [];
		let y = axisHeight, last = -1;
		for (let thread = 0; thread < process.length; thread++) {
			const lanes = this.spans.threads.get(thread) ?? [];
			if (process[thread] !== last) {
				last = process[thread];
				this.rows.push({ kind: "process", process: last, y, height: headHeight });
				y += headHeight;
			}
			const states = !this.states?.has(thread) ? 0 : lanes.length ? strip : stripAlone;
			if (!lanes.length && !states)
				continue;
			const laneHeight = this.open.get(thread) ?? !this.compact ? tall : small;
			const height = Math.max(states + lanes.length * laneHeight, 16);
			this.rows.push({ kind: "thread", thread, process: last, y, height, laneHeight,
				lanes, states });
			y += height + gap;
		}
		this.height = y + 20;
		this.space.style.height = `${this.height}px`;
	}

	toX(time) {
		return gutter + (time - this.app.from) / (this.app.to - this.app.from) *
			(this.width - gutter);
	}

	toTime(x) {
		return this.app.from + (x - gutter) / (this.width - gutter) * (this.app.to - this.app.from);
	}

	draw() {
		const { canvas, element } = this;
		const ratio = devicePixelRatio;
		this.width = element.clientWidth;
		const height = element.clientHeight;
		if (!this.width || !height)
			return;
		if (canvas.width !== Math.round(this.width * ratio) ||
			canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(this.width * ratio);
			canvas.height = Math.round(height * ratio);
			canvas.style.width = `${this.width}px`;
			canvas.style.height = `${height}px`;
		}
		const g = this.g = canvas.getContext("2d", { alpha: false });
		this.pixels.resize(g, canvas.width, canvas.height);
		this.selected = this.app.selected;
		this.colours = [];
		this.dim = bitsOf(css("--frame-dim"));
		this.back = bitsOf(css("--box"));
		this.texts = [];
		this.pixels.bits.fill(this.back);
		this.drawGrid(ratio);
		const top = element.scrollTop;
		const seen = this.rows.filter((row) => row.y + row.height >= top && row.y <= top + height);
		for (const row of seen)
			if (row.kind === "thread")
				this.drawThread(row, row.y - top, height, ratio);
		g.setTransform(1, 0, 0, 1, 0, 0);
		g.putImageData(this.pixels.image, 0, 0);
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		g.font = "11.5px system-ui, sans-serif";
		g.textBaseline = "middle";
		this.drawTexts();
		for (const row of seen)
			if (row.kind === "process")
				this.drawProcess(row, row.y - top);
			else
				this.drawName(row, row.y - top);
		this.marks?.draw(this, height);
		this.drawAxis();
	}

	drawGrid(ratio) {
		const bits = bitsOf(css("--grid"));
		for (const time of this.ticks()) {
			const x = Math.round(this.toX(time) * ratio);
			this.pixels.rect(x, 0, x + 1, this.pixels.height, bits);
		}
	}

	ticks() {
		const span = this.app.to - this.app.from, wanted = (this.width - gutter) / 110;
		const raw = span / wanted, power = 10 ** Math.floor(Math.log10(raw));
		const nice = span > 120e9 ? [1e9, 2e9, 5e9, 10e9, 30e9, 60e9, 120e9, 300e9, 600e9, 1800e9,
			3600e9, 7200e9, 18000e9, 36000e9] : [1, 2, 5, 10].map((n) => n * power);
		this.tick = nice.find((step) => step >= raw) ?? raw;
		const list = [];
		for (let time = Math.ceil(this.app.from / this.tick) * this.tick; time <= this.app.to;
			time += this.tick)
			list.push(time);
		return list;
	}

	drawAxis() {
		const { g } = this;
		g.fillStyle = css("--box");
		g.fillRect(0, 0, this.width, axisHeight);
		g.fillStyle = css("--line");
		g.fillRect(0, axisHeight - 1, this.width, 1);
		g.fillStyle = css("--soft");
		for (const time of this.ticks())
			g.fillText(at(time, this.tick), this.toX(time) + 4, axisHeight / 2);
		g.fillStyle = css("--box");
		g.fillRect(0, 0, gutter - 8, axisHeight - 1);
		g.fillStyle = css("--faint");
		g.fillText(`${format("ns", this.app.to - this.app.from)} shown`, 10, axisHeight / 2);
	}

	drawProcess(row, y) {
		const { g } = this, { model } = this.app;
		const start = this.toX(model.processes.numbers("start_ns")[row.process]),
			end = this.toX(model.processes.numbers("last_ns")[row.process]);
		const left = Math.max(gutter, start), right = Math.min(this.width, Math.max(end, start + 1));
		g.fillStyle = css("--line");
		if (right > left)
			g.fillRect(left, y + headHeight / 2 - 1, right - left, 3);
		g.fillStyle = css("--text");
		g.font = "600 12px system-ui, sans-serif";
		g.fillText(fit(g, model.processName(row.process), gutter - 20), 10, y + headHeight / 2);
		g.font = "11.5px system-ui, sans-serif";
	}

	drawThread(row, y, height, ratio) {
		if (row.states)
			this.drawStates(row, y, ratio);
		row.lanes.forEach((lane, depth) => {
			const laneY = y + row.states + depth * row.laneHeight;
			if (lane && laneY > -row.laneHeight && laneY < height)
				this.drawLane(lane, laneY, row.laneHeight, ratio);
		});
	}

	// Each column of pixels has the mean of what the thread did in its time.
	drawStates(row, y, ratio) {
		const { app, pixels } = this, left = gutter * ratio, wide = pixels.width - left;
		const scale = wide / (app.to - app.from), top = Math.round(y * ratio);
		const cpu = new Float64Array(wide + 1), ready = new Float64Array(wide + 1),
			known = new Float64Array(wide + 1);
		this.states.each(row.thread, app.from, app.to, (begin, end, cpuPercent, readyPercent) => {
			const from = Math.max(0, (begin - app.from) * scale),
				to = Math.min(wide, (end - app.from) * scale);
			for (let x = Math.floor(from); x < to; x++) {
				const part = Math.min(x + 1, to) - Math.max(x, from);
				known[x] += part;
				cpu[x] += part * cpuPercent / 100;
				ready[x] += part * readyPercent / 100;
			}
		});
		const [running, waiting, blocked] = stateColours.map(({ colour }) => bitsOf(css(colour)));
		for (let x = 0; x < wide; x++)
			if (known[x] > 0)
				pixels.rect(left + x, top, left + x + 1, Math.round((y + row.states - 1) * ratio),
					blend(running, blend(waiting, blocked, Math.min(1, ready[x] /
						Math.max(known[x] - cpu[x], 1e-9))), Math.min(1, cpu[x] / known[x])));
	}

	drawName(row, y) {
		const { g } = this, { model } = this.app;
		g.fillStyle = css("--box");
		g.fillRect(0, y, gutter - 1, row.height);
		g.fillStyle = css("--faint");
		if (row.lanes.length)
			g.fillText(row.laneHeight === tall ? "▾" : "▸", 10, y + 8);
		g.fillStyle = css("--soft");
		const [, name, tid] = model.threadName(row.thread).match(/^(.*?)( \d+)?$/s), room = gutter - 38;
		g.fillText(fit(g, name, room - g.measureText(tid ?? "").width) + (tid ?? ""), 24, y + 8);
	}

	bits(number) {
		if (this.selected !== null && this.selected !== number)
			return this.dim;
		return this.colours[number] ??= bitsOf(this.app.model.colour(number));
	}

	drawLane(lane, y, height, ratio) {
		const { spans, app, pixels } = this;
		const from = app.from, left = gutter * ratio, scale =
			(this.width - gutter) * ratio / (app.to - from), pixel = 1 / scale;
		const top = Math.round(y * ratio), bottom = Math.round((y + height) * ratio) - 1;
		let span = Math.max(lane.first, spans.after(lane, from) - 1);
		while (span < lane.end) {
			const start = spans.start[span], duration = spans.duration[span];
			if (start > app.to)
				break;
			const x = left + (start - from) * scale, wide = duration * scale,
				number = spans.func(span);
			if (wide < 1) {
				const column = Math.floor(x);
				if (column >= left)
					pixels.rect(column, top, column + 1, bottom, this.bits(number));
				const next = spans.after(lane, start + pixel, span), last = next - 1;
				span = last > span && spans.start[last] + spans.duration[last] > start +
					pixel ? last : next;
				continue;
			}
			const begin = Math.max(left, Math.round(x)),
				end = Math.round(x + wide) - (wide > 4 ? 1 : 0);
			const merged = spans.others[span] > 0;
			pixels.rect(begin, top, Math.max(begin + 1, end), bottom, merged ?
				blend(this.bits(number), this.back, 0.25 +
					0.5 * (1 - spans.idle[span] / duration)) : this.bits(number));
			const room = (Math.min(end, pixels.width) - begin) / ratio;
			if (height > 8 && room > 28 || this.focus?.span === span)
				this.texts.push({ span, x: begin / ratio, y, room, height, merged, number });
			span++;
		}
	}

	drawTexts() {
		const { g, spans } = this, { model } = this.app;
		for (const { span, x, y, room, height, merged, number } of this.texts) {
			if (height > 8) {
				g.fillStyle = css(merged || this.bits(number) === this.dim ? "--text" :
					"--frame-text");
				const label = merged && !(spans.flags[span] & 8) ?
					`${format("count", spans.others[span] + 1)} × ` +
					`${model.label(number)}` : model.label(number);
				g.fillText(fit(g, label, room - 8), x + 4, y + height / 2);
			}
			if (this.focus?.span === span)
				this.drawFocus(x, y, room, height - 1);
		}
	}

	drawFocus(x, y, width, height) {
		const { g } = this;
		g.strokeStyle = css("--accent");
		g.lineWidth = 2;
		g.strokeRect(x, y, Math.max(3, width), height);
	}

	hit(event) {
		const box = this.element.getBoundingClientRect();
		const x = event.clientX - box.left, y = event.clientY - box.top + this.element.scrollTop;
		const row = this.rows.find((one) => y >= one.y && y < one.y + one.height);
		if (!row || event.clientY - box.top < axisHeight)
			return { x, y };
		if (x < gutter || row.kind === "process")
			return { x, y, row, label: x < gutter };
		const lane = row.lanes[Math.floor((y - row.y - row.states) / row.laneHeight)];
		const slack = 2 / (this.width - gutter) * (this.app.to - this.app.from);
		const span = lane ? this.spans.at(lane, this.toTime(x), slack) : -1;
		return { x, y, row, lane, span };
	}

	press(event) {
		this.element.setPointerCapture(event.pointerId);
		this.drag = { x: event.clientX, y: event.clientY, from: this.app.from, to: this.app.to,
			top: this.element.scrollTop, moved: false };
	}

	move(event) {
		if (!this.drag) {
			this.tell(this.hit(event), event.clientX, event.clientY);
			return;
		}
		const x = event.clientX - this.drag.x, y = event.clientY - this.drag.y;
		if (!this.drag.moved && Math.hypot(x, y) < 4)
			return;
		this.drag.moved = true;
		hideTip();
		const step = -x / (this.width - gutter) * (this.drag.to - this.drag.from);
		this.element.scrollTop = this.drag.top - y;
		this.app.setTime(this.drag.from + step, this.drag.to + step);
	}

	release(event) {
		const moved = this.drag?.moved;
		this.drag = null;
		if (moved)
			return;
		const found = this.hit(event);
		if (found.label && found.row.kind === "thread" && found.row.lanes.length) {
			this.open.set(found.row.thread, found.row.laneHeight !== tall);
			this.layOut();
			this.redraw();
		} else if (found.span >= 0) {
			this.focus = found;
			this.app.select(this.spans.func(found.span));
		}
	}

	wheel(event) {
		event.preventDefault();
		const { app } = this;
		const span = app.to - app.from, scale = event.deltaMode ? 16 : 1;
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			const step = (event.deltaX || event.deltaY) * scale / (this.width - gutter) * span;
			app.setTime(app.from + step, app.to + step);
			return;
		}
		const factor = Math.exp(event.deltaY * scale * 0.0022);
		const centre = Math.max(app.from, Math.min(app.to,
			this.toTime(event.clientX - this.element.getBoundingClientRect().left)));
		app.setTime(centre - (centre - app.from) * factor, centre + (app.to - centre) * factor);
	}

	zoomTo({ span }) {
		if (!(span >= 0))
			return;
		const { start, duration } = this.spans;
		this.app.setTime(start[span] - duration[span] * 0.1, start[span] + duration[span] * 1.1);
	}

	// Show all figures of a call, or else what happened at that place.
	tell(found, x, y) {
		const near = (row) => found.label ? null : this.marks?.near(this, row, found.x);
		const lines = (found.row && near(found.row)) ??
			(found.span >= 0 ? describeSpan(this, found) : near(null) ??
			describeRow(this, found));
		if (lines)
			showTip(lines, x, y);
		else
			hideTip();
	}

	// Arrow keys go from call to call.
	key(event) {
		const { spans } = this;
		if (!event.key.startsWith("Arrow") && event.key !== "Enter")
			return;
		event.preventDefault();
		event.stopPropagation();
		if (event.key === "Enter") {
			if (this.focus)
				this.app.select(spans.func(this.focus.span));
			return;
		}
		this.focus = this.focus ? spanBeside(this, event.key) ?? this.focus : firstSpan(this);
		if (!this.focus)
			return;
		this.reveal();
	}

	reveal() {
		const { spans, app, element } = this, { row, lane, span } = this.focus;
		const y = row.y + row.states + row.lanes.indexOf(lane) * row.laneHeight;
		if (y - axisHeight < element.scrollTop || y + row.laneHeight > element.scrollTop +
			element.clientHeight)
			element.scrollTop = y - element.clientHeight / 2;
		const wide = app.to - app.from;
		if (spans.start[span] < app.from || spans.start[span] > app.to)
			app.setTime(spans.start[span] - wide / 2, spans.start[span] + wide / 2);
		this.draw();
		const box = element.getBoundingClientRect();
		showTip(describeSpan(this, this.focus), box.left + Math.max(gutter,
			this.toX(spans.start[span])), box.top + y - element.scrollTop + row.laneHeight);
	}
}

// In the order of the legend.
export const stateColours = [
	{ name: "running", colour: "--curve-cpu" },
	{ name: "ready", colour: "--curve-heap" },
	{ name: "blocked", colour: "--line" },
];

export function describeSpan({ spans, app, states }, { span, row }) {
	const { model } = app;
	const nr = spans.others[span] + 1, busy = spans.duration[span] - spans.idle[span];
	const sampled = spans.flags[span] & 8;
	const lines = [sampled ? `in ${model.label(spans.func(span))}, by samples` : nr > 1 ?
		`${exact("count", nr)} short calls, the longest of ${model.label(spans.func(span))}` :
		model.label(spans.func(span)),
		["from", `${exact("ns", spans.start[span])}`],
			[nr > 1 ? "over" : sampled ? "for about" : "took", exact("ns", spans.duration[span])]];
	const did = nr > 1 ? null : states?.mean(row.thread, spans.start[span], spans.start[span] +
		spans.duration[span]);
	if (did)
		lines.push(["", tellStates(did)]);
	if (nr > 1 && !sampled)
		lines.push(["took", `${exact("ns", busy)} together`]);
	if (nr > 1 && spans.flags[span] & 1)
		lines.push(["", "of several functions or paths"]);
	if (spans.heap[span])
		lines.push(["heap",
			`${spans.heap[span] > 0 ? "+" : ""}${format("bytes", spans.heap[span])} by this ` +
			`thread`]);
	if (spans.flags[span] & 2)
		lines.push(["", "did not return; its end is when that was noticed"]);
	if (spans.flags[span] & 4)
		lines.push(["", nr > 1 ? "the last of them has not ended" :
			"has not ended: open when the process was last seen"]);
	lines.push(["thread", `${model.threadName(row.thread)}, ${model.processName(row.process)}`]);
	return lines;
}

// Describe a process by its head, a thread by what it did then; null: nothing is there.
export function describeRow(lanes, { row, x, label }) {
	const { app } = lanes;
	if (row?.kind === "thread" && row.states && !label) {
		const time = lanes.toTime(x);
		let lines = null;
		lanes.states.each(row.thread, time, time + 1, (from, to, cpu, ready) => {
			lines ??= [`${app.model.threadName(row.thread)}, ${app.model.processName(row.process)}`,
				["from", exact("ns", from)], ["for", exact("ns", to - from)],
				["", tellStates({ cpu, ready, blocked: 100 - cpu - ready })]];
		});
		return lines;
	}
	return row?.kind === "process" ? [app.model.processName(row.process),
		["ended", app.model.processes.texts("end")(row.process)]] : null;
}

const within = (lane, span) => Math.min(lane.end - 1, Math.max(lane.first, span));

export function firstSpan({ rows, spans, app }) {
	const row = rows.find((one) => one.kind === "thread" && one.lanes[0]);
	return row ? { row, lane: row.lanes[0], span: within(row.lanes[0],
		spans.after(row.lanes[0], app.from) - 1) } : null;
}

// The span that an arrow key leads to from the focused one; null: there is none.
export function spanBeside({ rows, spans, focus }, key) {
	const { row, lane, span } = focus;
	if (key === "ArrowLeft")
		return span > lane.first ? { row, lane, span: span - 1 } : null;
	if (key === "ArrowRight")
		return span + 1 < lane.end ? { row, lane, span: span + 1 } : null;
	const middle = spans.start[span] + spans.duration[span] / 2;
	const next = row.lanes[row.lanes.indexOf(lane) + (key === "ArrowDown" ? 1 : -1)];
	if (next)
		return { row, lane: next, span: within(next, spans.after(next,
			middle) - (key === "ArrowUp" ? 1 : 0)) };
	const threads = rows.filter((one) => one.kind === "thread" && one.lanes.length);
	const other = threads[threads.indexOf(row) + (key === "ArrowDown" ? 1 : -1)];
	const to = other && (key === "ArrowDown" ? other.lanes[0] : other.lanes.at(-1));
	return to ? { row: other, lane: to, span: within(to, spans.after(to, middle) - 1) } : null;
}
