// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of a whole as areas: rectangles close to squares (Bruls, Huizing, van Wijk).
import { h, hideTip, showTip } from "../base/dom.js";

const boxesMax = 200, least = 2;

// Fill a row along the shorter side with the largest values, as long as its most elongated box does not get
// worse.
function rowOf(values, first, side, scale) {
	let sum = 0, worst = Infinity, end = first;
	for (; end < values.length; end++) {
		const more = sum + values[end] * scale, wide = more / side;
		const now = Math.max(wide * wide / (values[end] * scale),
			values[first] * scale / (wide * wide));
		if (now > worst)
			break;
		worst = now;
		sum = more;
	}
	return { end, sum };
}

// Place @values, largest first, as boxes { x, y, width, height } in a rectangle.
export function squarify(values, { x, y, width, height }) {
	const places = [], all = values.reduce((sum, value) => sum + value, 0);
	const scale = all > 0 ? width * height / all : 0;
	let first = 0;
	while (first < values.length && scale > 0) {
		const across = width >= height, side = across ? height : width;
		const { end, sum } = rowOf(values, first, side, scale);
		const deep = side > 0 ? sum / side : 0;
		for (let at = 0; first < end; first++) {
			const long = deep > 0 ? values[first] * scale / deep : 0;
			places.push(across ? { x, y: y + at, width: deep, height: long } :
				{ x: x + at, y, width: long, height: deep });
			at += long;
		}
		if (across) {
			x += deep;
			width -= deep;
		} else {
			y += deep;
			height -= deep;
		}
	}
	return places;
}

// groups: [{ label, items: [{ label, value, colour, open }] }]; @tell(item) gives the lines of its tip.
export class Treemap {
	constructor({ label, tell, height }) {
		Object.assign(this, { tell, height, groups: [] });
		this.element = h("div.treemap", { role: "group", "aria-label": label,
			onpointerleave: hideTip });
		this.element.style.height = `${height}px`;
		new ResizeObserver(() => this.draw()).observe(this.element);
	}

	show(groups) {
		this.groups = groups;
		this.draw();
	}

	draw() {
		const width = this.element.clientWidth;
		const sum = (group) => group.items.reduce((all, item) => all + item.value, 0);
		const groups = this.groups.map((group) => ({ ...group, value: sum(group),
			items: [...group.items].sort((a, b) => b.value - a.value) })).sort((a,
			b) => b.value - a.value);
		const places = width ? squarify(groups.map((group) => group.value),
			{ x: 0, y: 0, width, height: this.height }) : [];
		const room = boxesMax / Math.max(1, groups.length);
		this.element.replaceChildren(...places.flatMap((place, i) => this.boxesOf(groups[i], place,
			Math.max(8, room))));
	}

	// The title of a group stands above its boxes, if there is room for it.
	boxesOf(group, place, most) {
		const head = place.height > 44 && place.width > 60 ? 18 : 0;
		const items = group.items.slice(0, most), rest = group.items.slice(most);
		if (rest.length)
			items.push({ label: `${rest.length} more`,
				value: rest.reduce((all, item) => all + item.value, 0),
				colour: "var(--frame-dim)" });
		const inside = squarify(items.map((item) => item.value),
			{ x: place.x + 1, y: place.y + head, width: place.width - 2,
			height: place.height - head - 1 });
		return [...head ? [h("div.treemap-head", { style: { left: `${place.x + 4}px`,
			top: `${place.y}px`, width: `${place.width - 8}px` } }, group.label)] : [],
			...inside.map((one, i) => one.width > least && one.height > least ?
				this.box(items[i], one) : null).filter(Boolean)];
	}

	box(item, { x, y, width, height }) {
		const lines = this.tell(item);
		const tip = (event) => showTip(lines, event.clientX, event.clientY);
		return h("button.treemap-box", {
			type: "button", disabled: !item.open, onclick: item.open, onpointermove: tip,
			"aria-label": lines.flat().join(" "),
			onfocus: (event) => { const at = event.target.getBoundingClientRect();
				showTip(lines, at.left, at.bottom - 12); }, onblur: hideTip,
			style: { left: `${x}px`, top: `${y}px`, width: `${Math.max(1, width - 1)}px`,
				height: `${Math.max(1, height - 1)}px`, background: item.colour },
		}, width > 40 && height > 15 ? h("span.treemap-label", {}, item.label) : null);
	}
}
