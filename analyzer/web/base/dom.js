// SPDX-License-Identifier: GPL-3.0-or-later
// Elements. Text only ever becomes text nodes: names in a log come from others and are never markup.

// h("p.note", { onclick }, "text", element): a tag with classes, its properties, its children.
export function h(what, properties = {}, ...children) {
	const [tag, ...classes] = what.split(".");
	const element = document.createElement(tag || "div");
	element.className = classes.join(" ");
	return fill(element, properties, children);
}

const svgNames = "http://www.w3.org/2000/svg";
export function svg(tag, attributes = {}, ...children) {
	const element = document.createElementNS(svgNames, tag);
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, value);
	element.append(...children);
	return element;
}

function fill(element, properties, children) {
	for (const [name, value] of Object.entries(properties)) {
		if (value === undefined || value === null)
			continue;
		if (name === "style")
			Object.assign(element.style, value);
		else if (name === "data")
			Object.assign(element.dataset, value);
		else if (name.startsWith("aria-") || name === "role" || name === "for")
			element.setAttribute(name, value);
		else
			element[name] = value;
	}
	element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined &&
		child !== false));
	return element;
}

const steps = "button, select, input, [tabindex]";

// Keep the place of a keyboard user: the element that replaces the focused one gets the focus.
export function replace(element, ...children) {
	const focused = document.activeElement;
	const place = focused !== element && element.contains(focused) ?
		[...element.querySelectorAll(steps)].indexOf(focused) : -1;
	element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null &&
		child !== undefined && child !== false));
	if (place >= 0)
		element.querySelectorAll(steps)[place]?.focus({ preventScroll: true });
	return element;
}

// A share of a whole, as a bar behind a text.
export const bar = (share, colour) => h("span.bar", { "aria-hidden": "true" },
	h("span.bar-fill", { style: { width: `${Math.max(0, Math.min(100, 100 * share))}%`,
		background: colour ?? "" } }));

// A text that a key or a click opens.
export const link = (text, onclick, properties = {}) => h("button.link",
	{ type: "button", onclick, ...properties }, text);

// Copies @text; where the browser forbids that, it selects what stands before the button.
export function copyButton(text) {
	const button = h("button.button.copy", { type: "button", onclick: async () => {
		const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
		if (done)
			button.textContent = "copied";
		else
			getSelection().selectAllChildren(button.parentElement);
	} }, "copy");
	return button;
}

let tip;
export function showTip(lines, x, y) {
	if (!tip)
		document.body.append(tip = h("div.tip", { role: "status" }));
	replace(tip, lines.map((line, i) => h(i ? "div.tip-line" : "div.tip-head", {},
		Array.isArray(line) ? [h("span.tip-key", {}, line[0]), h("span", {}, line[1])] : line)));
	tip.hidden = false;
	const room = document.documentElement;
	const left = x + 16 + tip.offsetWidth > room.clientWidth ? x - 12 - tip.offsetWidth : x + 16;
	const top = y + 16 + tip.offsetHeight > room.clientHeight ? y - 12 - tip.offsetHeight : y + 16;
	Object.assign(tip.style, { left: `${Math.max(4, left)}px`, top: `${Math.max(4, top)}px` });
}

export function hideTip() {
	if (tip)
		tip.hidden = true;
}

// Stands beside what still shows the whole run while a part of the time is chosen; hidden otherwise.
export const ofWholeRun = () => h("span.whole-run", {}, "of the whole run");
