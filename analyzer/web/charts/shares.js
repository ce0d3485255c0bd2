// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of a whole: a ring, and a list beside it.
import { bar, h, svg } from "../base/dom.js";
import { exact, format } from "../base/units.js";

const shownMax = 12;

export const colourOf = (number) => `hsl(${(212 + number * 137.5) % 360} 58% 58%)`;

// list: [{ name, value, colour, mark }], in any order; mark: what precedes the value, if anything
export function shares(list, unit, label) {
	const order = [...list].sort((a, b) => b.value - a.value);
	const sum = list.reduce((all, one) => all + (one.value || 0), 0);
	if (!sum)
		return h("p.note", { "aria-label": label }, "None of them has any.");
	const shown = order.slice(0, shownMax);
	const left = sum - shown.reduce((all, one) => all + (one.value || 0), 0);
	if (left > 0)
		shown.push({ name: `${order.length - shownMax} more`, value: left, colour: "var(--faint)" });
	return h("div.shares", {}, donut(shown, sum, unit, label),
		h("div.share-list", {}, shown.map(({ name, value, colour, mark }) => h("div.share-row", {},
		bar(value / sum, colour), h("span.dot", { style: { background: colour } }),
			h("span.hot-name", { title: name }, name),
		h("span.hot-figure", { title: exact(unit, value) }, (mark ?? "") + format(unit, value)),
			h("span.hot-share", {}, format("percent", 100 * value / sum))))));
}

function donut(rows, sum, unit, label) {
	const size = 168, outer = 82, inner = 54;
	const picture = svg("svg", { width: size, height: size,
		viewBox: `${-size / 2} ${-size / 2} ${size} ${size}`, role: "img", "aria-label": label,
		class: "donut" });
	let angle = -Math.PI / 2;
	for (const { name, value, colour } of rows) {
		const turn = Math.min(value / sum, 0.9999) * 2 * Math.PI;
		const point = (radius,
			at) => `${(radius * Math.cos(at)).toFixed(4)} ${(radius * Math.sin(at)).toFixed(4)}`;
		const large = turn > Math.PI ? 1 : 0;
		const path = svg("path",
			{ d: `M ${point(outer, angle)} A ${outer} ${outer} 0 ${large} 1 ` +
			`${point(outer, angle + turn)} L ${point(inner, angle + turn)} A ${inner} ` +
			`${inner} 0 ${large} 0 ${point(inner, angle)} Z` },
			svg("title", {},
				`${name}: ${format(unit, value)}, ${format("percent", 100 * value / sum)}`));
		path.style.fill = colour;
		picture.append(path);
		angle += turn;
	}
	picture.append(svg("text", { "text-anchor": "middle", y: 5, class: "donut-text" },
		format(unit, sum)));
	return picture;
}
