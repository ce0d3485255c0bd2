// SPDX-License-Identifier: GPL-3.0-or-later
// What the keys do.
import { h } from "../base/dom.js";

const keys = [
	["1 … 9", "the panels, in their order; c: the comparison of --diff"],
	["/", "search; Escape leaves it"],
	["w s", "zoom in and out in time"],
	["a d", "earlier, later"],
	["0", "all of the time"],
	["arrows", "through tables, frames and calls; Enter opens or zooms"],
	["Escape", "out of a zoomed frame, no function, all of the time"],
	["t", "dark or light"],
	["wheel, drag", "zoom and move in the timeline; shift and wheel moves"],
	["drag on a curve", "choose a part of the time"],
];

export function help() {
	const dialog = h("dialog.help", { onclose: () => dialog.remove(), onclick: (event) => { if (event.target === dialog) dialog.close(); } },
		h("h2", {}, "Keys"),
		h("dl", {}, keys.map(([key, what]) => [h("dt", {}, key.split(" ").length === 2 && key.length === 3 ?
			key.split(" ").map((one) => h("kbd", {}, one)) : h("kbd", {}, key)), h("dd", {}, what)])),
		h("p.note", {}, "Time, function, panel and order are in the address: it can be passed on with the page."),
		h("button.button", { type: "button", onclick: () => dialog.close() }, "Close"));
	document.body.append(dialog);
	dialog.showModal();
}
