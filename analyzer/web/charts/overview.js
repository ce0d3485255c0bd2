// SPDX-License-Identifier: GPL-3.0-or-later
// The whole run as a small curve above every panel. It shows which part of the time is chosen; dragging
// chooses another.
import { h, hideTip, showTip } from "../base/dom.js";
import { figures } from "./series.js";
import { css } from "../base/theme.js";
import { format, within } from "../base/units.js";

const height = 44;

export class Overview {
	constructor(app) {
		this.app = app;
		this.canvas = h("canvas");
		this.element = h("div.overview", {
			tabIndex: 0, role: "slider",
				"aria-label": "part of the time: a and d move it, w and s make it shorter " +
				"and longer, 0 takes all",
			onpointerdown: (event) => this.press(event),
				onpointermove: (event) => this.move(event),
			onpointerup: () => { this.drag = null; }, onpointerleave: hideTip,
			ondblclick: () => app.setTime(0, app.model.end),
		}, this.canvas);
		this.curve = this.choose();
		new ResizeObserver(() => this.draw()).observe(this.element);
	}

	choose() {
		const { series, model } = this.app;
		for (const [name, title] of [["cpu_ns", "CPU"], ["rss_bytes", "RSS"]]) {
			const total = series.total("process", name, 0, model.end, 400);
			if (total?.x.length > 1)
				return { title, ...total, most: model.resource(title, "peak") ??
					figures(series.exact("process", name), 0, model.end).peak };
		}
		return null;
	}

	time(event) {
		const box = this.element.getBoundingClientRect();
		return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * this.app.model.end;
	}

	press(event) {
		this.element.setPointerCapture(event.pointerId);
		const time = this.time(event);
		const { from, to } = this.app;
		const inside = (from > 0 || to < this.app.model.end) && time > from && time < to;
		this.drag = inside ? { grip: time - from, span: to - from } : { begin: time };
	}

	move(event) {
		const time = this.time(event), end = this.app.model.end;
		if (this.drag?.grip !== undefined)
			this.app.setTime(Math.min(Math.max(0, time - this.drag.grip), end - this.drag.span),
				Math.min(Math.max(0, time - this.drag.grip),
					end - this.drag.span) + this.drag.span);
		else if (this.drag && Math.abs(time - this.drag.begin) > end / 500)
			this.app.setTime(Math.min(time, this.drag.begin), Math.max(time, this.drag.begin));
		else
			showTip([within(time, end), ...this.reading(time)], event.clientX, event.clientY);
	}

	reading(time) {
		if (!this.curve)
			return [];
		const i = this.curve.x.findIndex((x) => x >= time);
		return i < 0 ? [] : [[this.curve.title, format(this.curve.unit, this.curve.y[i])]];
	}

	say(g, text) {
		g.font = "11px system-ui, sans-serif";
		g.fillStyle = css("--veil");
		g.fillRect(4, 3, g.measureText(text).width + 8, 15);
		g.fillStyle = css("--soft");
		g.fillText(text, 8, 14);
	}

	draw() {
		const { canvas, app } = this;
		const ratio = devicePixelRatio, width = this.element.clientWidth;
		if (!width)
			return;
		canvas.width = width * ratio;
		canvas.height = height * ratio;
		const g = canvas.getContext("2d");
		g.scale(ratio, ratio);
		const toX = (time) => time / app.model.end * width;
		if (this.curve) {
			const peak = this.curve.y.reduce((most, value) => value > most ? value : most, 0) ||
				1;
			g.fillStyle = css("--curve");
			g.beginPath();
			g.moveTo(0, height);
			let before = 0;
			for (let i = 0; i < this.curve.x.length; i++) {
				const y = height - 1 - this.curve.y[i] / peak * (height - 8);
				if (Number.isNaN(y))
					continue;
				g.lineTo(before, y);
				g.lineTo(before = toX(this.curve.x[i]), y);
			}
			g.lineTo(before, height);
			g.fill();
			this.say(g,
				`${this.curve.title}, at most ${format(this.curve.unit, this.curve.most)}`);
		} else {
			this.say(g, "no curve: fewer than two samples");
		}
		this.element.setAttribute("aria-valuetext",
			`${format("ns", app.from) || "0"} to ${format("ns", app.to)}`);
		if (app.from === 0 && app.to === app.model.end)
			return;
		const left = toX(app.from), right = Math.max(toX(app.to), left + 2);
		g.fillStyle = css("--veil");
		g.fillRect(0, 0, left, height);
		g.fillRect(right, 0, width - right, height);
		g.strokeStyle = css("--accent");
		g.lineWidth = 1.5;
		g.strokeRect(left, 0.75, right - left, height - 1.5);
	}
}
