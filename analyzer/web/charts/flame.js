// SPDX-License-Identifier: GPL-3.0-or-later
// A flame graph on a canvas. The width of a frame is its share; a click widens a frame to the whole window.
import { fit } from "./canvas.js";
import { h, hideTip, showTip } from "../base/dom.js";
import { css } from "../base/theme.js";

const tall = 20;

export class Flame {
	// describe(frame) gives the lines of the tip. colour(frame) gives a colour, or null for that of the
	// function. onZoom(frame) is called after zooming.
	constructor({ model, describe, onZoom, label, colour }) {
		Object.assign(this, { model, describe, onZoom, colour });
		this.canvas = h("canvas.flame-canvas");
		this.element = h("div.flame-scroll", {
			tabIndex: 0, role: "application",
				"aria-label": `${label}: arrows go from frame to frame, Enter zooms, ` +
				`Backspace goes back`,
			onpointermove: (event) => this.hover(event), onpointerleave: hideTip,
				onclick: (event) => this.click(event),
			onkeydown: (event) => this.key(event),
		}, this.canvas);
		this.matches = null;
		this.up = false;	// the root is at the bottom
		new ResizeObserver(() => this.draw()).observe(this.element);
	}

	setRoot(root, zoom) {
		this.root = root;
		this.zoom = zoom ?? root;
		this.focus = null;
		this.draw();
	}

	zoomTo(frame) {
		this.zoom = frame;
		this.focus = frame;
		this.element.scrollTop = 0;
		this.draw();
		this.onZoom?.(frame);
	}

	// Lay out the frames that are visible: the zoomed frame and those above it in full width, then
	// those below.
	layOut(width) {
		this.boxes = [];
		let deepest = 0;
		const above = [];
		for (let frame = this.zoom; frame; frame = frame.parent)
			above.unshift(frame);
		above.forEach((frame, depth) => this.boxes.push({ frame, x: 0, width, depth,
			above: frame !== this.zoom }));
		const todo = [{ frame: this.zoom, x: 0, width, depth: above.length - 1 }];
		while (todo.length) {
			const box = todo.pop();
			const children = box.frame.children();
			let x = box.x;
			deepest = Math.max(deepest, box.depth);
			for (const child of children) {
				const wide = box.frame.value > 0 ? child.value / box.frame.value * box.width :
					0;
				if (wide < 0.7)
					break;		// the largest come first
				const next = { frame: child, x, width: wide, depth: box.depth + 1 };
				this.boxes.push(next);
				todo.push(next);
				x += wide;
			}
		}
		return deepest + 1;
	}

	draw() {
		const width = this.element.clientWidth;
		if (!width || !this.root)
			return;
		const ratio = devicePixelRatio;
		this.rows = this.layOut(width - 2);
		const height = Math.max(this.rows * tall + 2, 60);
		this.canvas.width = width * ratio;
		this.canvas.height = Math.min(height * ratio, 32000);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		const g = this.canvas.getContext("2d", { alpha: false });
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		g.fillStyle = css("--box");
		g.fillRect(0, 0, width, height);
		g.font = "11.5px system-ui, sans-serif";
		g.textBaseline = "middle";
		for (const box of this.boxes)
			this.drawBox(g, box);
	}

	y(depth) {
		return 1 + tall * (this.up ? this.rows - 1 - depth : depth);
	}

	drawBox(g, box) {
		const { frame } = box;
		const y = this.y(box.depth), is = !this.matches || this.matches(frame);
		const wide = Math.max(0.6, box.width - (box.width > 3 ? 1 : 0));
		g.fillStyle = frame.func < 0 ? css("--grid") : is ? this.colour?.(frame) ??
			this.model.colour(frame.func) : css("--frame-dim");
		g.globalAlpha = box.above ? 0.55 : 1;
		g.fillRect(box.x + 1, y, wide, tall - 1);
		g.globalAlpha = 1;
		if (box.width > 24) {
			g.fillStyle = frame.func < 0 || !is ? css("--soft") : css("--frame-text");
			g.fillText(fit(g, frame.func < 0 ? this.title : this.model.label(frame.func),
				box.width - 8), box.x + 5, y + tall / 2);
		}
		if (frame === this.focus) {
			g.strokeStyle = css("--accent");
			g.lineWidth = 2;
			g.strokeRect(box.x + 2, y + 1, Math.max(2, wide - 2), tall - 3);
		}
	}

	hit(event) {
		const place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.left - 1, row =
			Math.floor((event.clientY - place.top - 1) / tall);
		const depth = this.up ? this.rows - 1 - row : row;
		return this.boxes?.find((box) => box.depth === depth && x >= box.x &&
			x < box.x + Math.max(1, box.width))?.frame ?? null;
	}

	hover(event) {
		const frame = this.hit(event);
		if (frame)
			showTip(this.describe(frame), event.clientX, event.clientY);
		else
			hideTip();
	}

	click(event) {
		const frame = this.hit(event);
		if (frame)
			this.zoomTo(frame === this.zoom && frame.parent ? frame.parent : frame);
	}

	back() {
		if (!this.zoom?.parent)
			return false;
		this.zoomTo(this.zoom.parent);
		return true;
	}

	key(event) {
		const at = this.focus ?? this.zoom;
		const siblings = at.parent?.children() ?? [at];
		const place = siblings.indexOf(at);
		const down = this.up ? "ArrowUp" : "ArrowDown", up = this.up ? "ArrowDown" : "ArrowUp";
		const next = { [down]: () => at.children()[0], [up]: () => at.parent,
			ArrowLeft: () => siblings[place - 1], ArrowRight: () =>
			siblings[place + 1] }[event.key];
		if (event.key === "Enter")
			this.zoomTo(at);
		else if (event.key === "Backspace")
			this.back();
		else if (next)
			this.moveTo(next() ?? at);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	moveTo(frame) {
		this.focus = frame;
		this.draw();
		const box = this.boxes.find((one) => one.frame === frame);
		if (!box)
			return;
		const y = this.y(box.depth);
		if (y < this.element.scrollTop || y + tall > this.element.scrollTop +
			this.element.clientHeight)
			this.element.scrollTop = y - this.element.clientHeight / 2;
		const place = this.canvas.getBoundingClientRect();
		showTip(this.describe(frame), place.left + box.x, place.top + y + tall);
	}
}
