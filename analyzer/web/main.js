// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of the page: what ran, the panels, the time above them, and the keys.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Data } from "./base/data.js";
import { h, hideTip, replace } from "./base/dom.js";
import { Model } from "./base/model.js";
import { Overview } from "./charts/overview.js";
import { panels } from "./panels/panels.js";
import { Part } from "./charts/part.js";
import { Series } from "./charts/series.js";
import { onChange, set, state } from "./base/state.js";
import { onTheme, toggleTheme } from "./base/theme.js";
import { format } from "./base/units.js";

const keyOf = (panel) => panel.key ?? String(panels.indexOf(panel) + 1);

class App {
	constructor(model, series) {
		this.made = new Map();
		this.main = h("main", { id: "main" });
		this.chips = h("div.chips");
		this.tabs = h("nav.tabs", { role: "tablist", "aria-label": "panels" });
		onChange((changed) => this.update(changed));
		onTheme(() => {
			this.made.clear();
			this.overview.draw();
			this.show();
		});
		addEventListener("keydown", (event) => this.key(event));
		this.renew(model, series);
	}

	// Show the data as it is now. A reader who looked at the end of a running run sees its new end.
	renew(model, series) {
		const before = this.model?.end;
		this.model = model;
		this.series = series;
		this.made.clear();
		this.overview = new Overview(this);
		replace(document.getElementById("app"), this.header(), this.tabs,
			h("div.strip", {}, this.overview.element, this.chips), this.main);
		document.title = `${model.about.program} · InsideMe`;
		if (before && state.to >= before * 0.999)
			this.setTime(state.from + model.end - before, model.end);
		this.show();
	}

	get from() {
		return state.from ?? 0;
	}

	get to() {
		return state.to ?? this.model.end;
	}

	// Choosing all of the time is the same as choosing none.
	setTime(from, to) {
		const end = this.model.end;
		const span = Math.max(Math.min(to - from, end), Math.min(100, end));
		const begin = Math.max(0, Math.min(from, end - span));
		if (span >= end * 0.9999)
			set({ from: undefined, to: undefined });
		else
			set({ from: begin, to: begin + span });
	}

	// What single calls say about the chosen time; null: all of the time is shown, or no single call is
	// known.
	async part() {
		if (state.to === undefined || state.whole === "1")
			return null;
		const { model, from, to } = this, spans = await model.spans();
		if (!spans?.about.calls)
			return null;
		if (this.lastPart?.model !== model || this.lastPart.from !== from || this.lastPart.to !== to)
			this.lastPart = new Part(spans, model, from, to);
		return this.lastPart;
	}

	get selected() {
		return this.model.find(state.f);
	}

	select(number, panel) {
		set({ f: number === null ? undefined : this.model.nameOf(number),
			...panel ? { panel } : {} });
	}

	header() {
		const { model } = this;
		const command = model.run?.value("command", 0) ?? model.about.title;
		const end = model.run?.value("end", 0) ?? "";
		const bad = /killed|status [1-9]|without a word|turned off/.test(end);
		const started = new Date(model.about.start_realtime_ns / 1e6);
		return h("header", {},
			h("div.brand", {}, h("span.logo", { "aria-hidden": "true" }), "InsideMe"),
			h("div.what", {},
				h("h1", { title: command }, model.about.title),
				h("div.command", { title: command }, command)),
			h("div.facts", {},
				h(bad ? "span.pill.bad" : "span.pill.good", {}, end.replace(/^ended /, "")),
				h("span.pill", {}, format("ns", model.about.end_ns)),
				h("span.when", {}, started.toLocaleString("en-GB",
					{ dateStyle: "medium", timeStyle: "medium" }))),
			h("button.icon", { type: "button", title: "dark or light (t)",
				"aria-label": "dark or light", onclick: toggleTheme }, "◐"),
			h("button.icon", { type: "button", title: "keys and what can be clicked (?)",
				"aria-label": "help", onclick: help }, "?"));
	}

	drawTabs() {
		replace(this.tabs, panels.filter((panel) => panel.has?.(this) ??
			true).map((panel) => h("button.tab", {
			type: "button", role: "tab", id: `tab-${panel.name}`,
				"aria-selected": String(panel === this.shownPanel),
			title: `key ${keyOf(panel)}`, onclick: () => set({ panel: panel.name }),
		}, panel.title, panel.badge?.(this) ? h("span.badge", {}, panel.badge(this)) : null)));
		this.tabs.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest",
			inline: "nearest" });
	}

	// Panels of functions show the chosen time or the whole run: say which, and offer the other.
	partChoice() {
		if (state.to === undefined || !this.shownPanel.isOfCalls || !this.model.nrFunctions)
			return null;
		const whole = state.whole === "1";
		const choice = h("button.button", { type: "button", "aria-pressed": String(!whole),
			title: whole ? "show the chosen time" : "show the whole run",
			onclick: () => set({ whole: whole ? undefined : "1" }) },
				whole ? "functions of the whole run" : "functions of the chosen time");
		const note = h("span.hint", {},
			whole ? "" : "single calls as recorded; the time of shorter ones counts for " +
				"their callers");
		this.model.spans().then((spans) => {
			if (!spans?.about.calls) {
				choice.remove();
				note.textContent = this.model.about.is_sampled ?
					"functions are of the whole run; the timeline has the samples of a part" :
					"no call was recorded singly, so functions are of the whole run: " +
					"INSIDEME_THRESHOLD=0 records all calls";
			}
		});
		return [choice, note];
	}

	get shownPanel() {
		return panels.find((one) => one.name === state.panel && (one.has?.(this) ?? true)) ?? panels[0];
	}

	drawChips() {
		const part = state.to !== undefined;
		this.main.toggleAttribute("data-part", part);
		const number = this.selected;
		replace(this.chips,
			part ? h("span.chip", {}, h("span.chip-name", {}, "time"),
				`${format("ns", this.from) || "0"} to ${format("ns", this.to)}, ` +
					`${format("ns", this.to - this.from)}`,
				h("button", { type: "button", "aria-label": "all of the time",
					title: "all of the time (0)", onclick: () => this.setTime(0,
					this.model.end) }, "✕")) :
				h("span.hint", {}, "drag over the curve to choose a part of the time"),
			number === null ? null : h("span.chip", {},
				h("span.dot", { style: { background: this.model.colour(number) } }),
				h("span.chip-text", { title: this.model.label(number) },
					this.model.label(number)),
				h("button", { type: "button", "aria-label": "no function",
					title: "no function (Escape)", onclick: () => this.select(null) },
					"✕")),
			this.partChoice());
	}

	update(changed) {
		hideTip();
		this.overview.draw();
		this.drawChips();
		if (changed.has("panel") || changed.has("all"))
			this.show();
		else
			this.panel?.update?.(changed);
	}

	show() {
		const panel = this.shownPanel;
		this.drawTabs();
		this.drawChips();
		if (!this.made.has(panel.name))
			this.made.set(panel.name, panel.make(this));
		this.panel = this.made.get(panel.name);
		this.main.dataset.panel = panel.name;
		// in another panel, nothing has the focus yet
		this.main.replaceChildren(this.panel.element);
		this.panel.shown?.();
	}

	key(event) {
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
		if (event.key === "Escape") {
			if (typing)
				event.target.blur();
			else if (!this.panel.key?.(event))
				state.f ? this.select(null) : this.setTime(0, this.model.end);
			return;
		}
		if (typing || event.ctrlKey || event.metaKey || event.altKey)
			return;
		const shown = panels.filter((panel) => panel.has?.(this) ?? true);
		const span = this.to - this.from;
		const keys = {
			"?": help,
			"t": toggleTheme,
			"0": () => this.setTime(0, this.model.end),
			"/": () => this.main.querySelector("input[type=search]")?.focus(),
			"w": () => this.setTime(this.from + span / 4, this.to - span / 4),
			"s": () => this.setTime(this.from - span / 2, this.to + span / 2),
			"a": () => this.setTime(this.from - span / 4, this.to - span / 4),
			"d": () => this.setTime(this.from + span / 4, this.to + span / 4),
		};
		const panel = shown.find((one) => keyOf(one) === event.key);
		const act = keys[event.key] ?? (panel ? () => set({ panel: panel.name }) : null);
		if (act) {
			event.preventDefault();
			act();
		} else {
			this.panel.key?.(event);
		}
	}
}

async function open(root) {
	const data = new Data(root);
	const model = await Model.open(data);
	return [model, new Series(await data.sheet("series"), model)];
}

// While a run goes on, a page that insideme-report serves is made again and again.
async function refresh(app) {
	while (app.model.about.is_running && location.protocol === "http:") {
		await new Promise((done) => setTimeout(done, 3000));
		const answer = await fetch(location.pathname).catch(() => null);
		if (!answer?.ok)
			return;		// the server is gone: keep what is shown
		app.renew(...await open(new DOMParser().parseFromString(await answer.text(), "text/html")));
	}
}

async function start() {
	window.insideme = new App(...await open(document));	// for tests, and for the console
	performance.mark("insideme-drawn");
	refresh(window.insideme);
}

start().catch((error) => {
	replace(document.getElementById("app"), h("p.broken", {},
		`This page cannot be shown: ${error.message}`));
	throw error;
});

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
	const dialog = h("dialog.help", { onclose: () => dialog.remove(),
		onclick: (event) => { if (event.target === dialog) dialog.close(); } },
		h("h2", {}, "Keys"),
		h("dl", {}, keys.map(([key, what]) => [h("dt", {},
			key.split(" ").length === 2 && key.length === 3 ?
			key.split(" ").map((one) => h("kbd", {}, one)) : h("kbd", {}, key)),
				h("dd", {}, what)])),
		h("p.note", {},
			"The address contains the time, function, panel and order: pass it on together " +
			"with the page."),
		h("button.button", { type: "button", onclick: () => dialog.close() }, "Close"));
	document.body.append(dialog);
	dialog.showModal();
}
