// SPDX-License-Identifier: GPL-3.0-or-later
// How processes ended, what was open then, and how far the numbers can be trusted.
import { h, ofWholeRun, replace } from "../base/dom.js";
import { capital, tableOf } from "../base/table.js";

async function fill(app, element) {
	const { data } = app.model;
	const views = await Promise.all(["errors", "quality"].map((name) => data.sheet(name)));
	const boxes = [];
	for (const [i, view] of ["errors", "quality"].entries()) {
		const about = views[i];
		if (!about)
			continue;
		const parts = [h("h2", {}, view === "errors" ? "How it ended" : "How far to trust it",
			ofWholeRun())];
		let list = null, nr = 0;
		for (const section of about.about.sections) {
			if (section.text) {
				if (!list)
					parts.push(list = h("dl.notes"));
				list.append(h("dt", {}, section.label ?? ""), h("dd", {}, section.text));
			}
			const sheet = section.table ? await data.sheet(`${view}.${section.table}`) : null;
			if (!sheet?.rows)
				continue;
			list = null;
			nr++;
			parts.push(sheet.has("finding") ? findings(sheet) :
				h("div", {}, section.table === view && nr === 1 ? null :
				h("h3", {}, view === "quality" ? section.title :
				capital(section.table.replaceAll("_", " "))),
				tableOf(sheet, { label: section.table, height: 360 }).element));
		}
		if (parts.length === 1)
			parts.push(h("p.note", {}, view === "quality" ?
				"Nothing was lost or repaired, and everything has a name." :
					"Nothing to say."));
		boxes.push(h("section.box", {}, parts));
	}
	replace(element, boxes);
}

// What the recording took puts no number in doubt.
const isCost = (name) => /^(sampling_|sampler_|start_cost_|log_bytes$)/.test(name);

function findings(sheet) {
	const rows = Array.from({ length: sheet.rows }, (_, i) => i);
	const list = (kind, label, chosen) => chosen.length ? h(kind, { role: "list", "aria-label": label },
		chosen.map((i) => h("li", { data: { finding: sheet.value("finding", i),
			value: String(sheet.value("value", i)) } }, sheet.value("text", i)))) : null;
	const costs = rows.filter((i) => isCost(sheet.value("finding", i)));
	return h("div", {}, list("ul.doubts", "findings", rows.filter((i) => !costs.includes(i))),
		costs.length ? h("h3", {}, "What the recording took") : null, list("ul.costs", "costs", costs));
}

export function makeQuality(app) {
	const element = h("div.quality", {}, h("div.empty", {}, "reading…"));
	fill(app, element);
	return { element };
}
