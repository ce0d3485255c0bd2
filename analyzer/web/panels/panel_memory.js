// SPDX-License-Identifier: GPL-3.0-or-later
// The heap, as far as it was recorded: what lives at its peak and to the end by call path, who allocates,
// and which sizes.
import { callMarks, showMarks } from "../charts/call_marks.js";
import { chart } from "../charts/chart.js";
import { bar, h, ofWholeRun, replace } from "../base/dom.js";
import { Flame } from "../charts/flame.js";
import { frames } from "../charts/frames.js";
import { describeFrame, metricsOf } from "./panel_flame.js";
import { figures, isCurve } from "../charts/series.js";
import { set, state } from "../base/state.js";
import { tableOf } from "../base/table.js";
import { css } from "../base/theme.js";
import { Treemap } from "../charts/treemap.js";
import { exact, format, plural, within } from "../base/units.js";

const groupsMax = 12;	// more groups of files are not helpful
const ofMemory = ["peak", "leaked", "alloc", "allocs", "temporary"];

function drawCurve(app, place) {
	const heap = app.series.total("process", "heap_bytes", app.from, app.to, 600),
		rss = app.series.total("process", "rss_bytes", app.from, app.to, 600);
	const lines = [rss && { ...rss, label: "RSS", colour: css("--curve-rss") },
		heap && { ...heap, label: "heap", colour: css("--curve-heap"),
		fill: `${css("--curve-heap")}22` }].filter(isCurve);
	if (!lines.length) {
		replace(place,
			h("p.note", {},
			"There are fewer than two samples, so there is no curve: the run was shorter " +
			"than the interval (--interval=1ms takes more)."));
		return;
	}
	const peak = heap ? figures(app.series.exact("process", "heap_bytes"), app.from, app.to) :
		{ peak: NaN };
	const told = h("span.note.curve-call");
	replace(place, h("div.curve-title", {}, lines.map((line) => h("span.key", {},
		h("span.dot", { style: { background: line.colour } }), line.label)),
		Number.isFinite(peak.peak) ?
			`largest sample of the heap: ${format("bytes", peak.peak)}, at ` +
			`${within(peak.peakAt, app.to - app.from)}` : null, told));
	const plot = chart(place, { lines, height: 130, from: app.from, to: app.to,
		onSelect: (from, to) => app.setTime(from, to) });
	markCalls(app, plot, lines.at(-1), told);
}

async function markCalls(app, plot, line, told) {
	const spans = await app.model.spans();
	const marks = spans?.about.calls ? callMarks(spans, app.model, app.from, app.to) : [];
	const nr = showMarks(plot, line, marks, told);
	if (nr)
		plot.root.after(h("p.note.curve-calls", {}, "▲ entry and ▼ exit of the single calls that ",
			marks.ofHeap ? "changed the heap most" : "took longest", "; point at one for its name"));
}

// Allocations by size; a bar holds sizes up to its label.
function sizes(sheet) {
	const calls = sheet.numbers("alloc_calls"), upTo = sheet.numbers("up_to_bytes");
	const most = Math.max(...calls);
	return h("div.sizes", {}, Array.from(calls, (n, i) => n > 0 ?
		h("div.size", { title: `${exact("count", n)} allocations` },
		h("span.size-name", {}, Number.isNaN(upTo[i]) ? "larger" : `≤ ${format("bytes", upTo[i])}`),
		h("span.size-room", {},
			h("span.size-bar", { style: { width: `${Math.max(0.5, 100 * n / most)}%` } })),
			h("span.note", {}, format("count", n))) : null));
}

// The call paths that hold most, largest first.
function pathsOf(sheet, bytes, blocks, age) {
	const sum = sheet.numbers(bytes).reduce((all, value) => all + value, 0);
	const shown = Math.min(sheet.rows, 12);
	return h("div", {}, Array.from({ length: shown }, (_, i) => h("div.path-row", {},
		h("div", {}, h("b", {}, format("bytes", sheet.value(bytes, i))),
			h("span.note", {}, ` in ${plural(sheet.value(blocks, i), "block")}` +
				(age && sheet.value(age, i) ? `, ${sheet.value(age, i)}` : "")),
			bar(sum ? sheet.value(bytes, i) / sum : 0, css("--curve-heap"))),
		h("div.path", { title: sheet.value("path", i) }, sheet.value("path", i)))),
			sheet.rows > shown ? h("p.note", {}, `${sheet.rows - shown} more call paths`) : null);
}

// What each function itself has of a metric, grouped by file.
function groupsOf(app, tree, column) {
	const { model } = app;
	const own = tree.numbers(column), sums = new Map(), groups = new Map();
	for (let node = 1; node < tree.nr; node++)
		if (own[node] > 0)
			sums.set(tree.func[node], (sums.get(tree.func[node]) ?? 0) + own[node]);
	for (const [number, value] of sums) {
		const module = model.module(number) || "not in a file";
		if (!groups.has(module))
			groups.set(module, { label: module, items: [] });
		groups.get(module).items.push({ label: model.label(number), value,
			colour: model.colour(number), open: () => app.select(number, "functions") });
	}
	const list = [...groups.values()].map((group) => ({ ...group,
		value: group.items.reduce((all, item) => all + item.value, 0) })).sort((a,
		b) => b.value - a.value);
	const rest = list.slice(groupsMax);
	return rest.length ? [...list.slice(0, groupsMax),
		{ label: `${rest.length} more files`, items: rest.flatMap((group) => group.items) }] : list;
}

export function makeMemory(app) {
	const { model } = app;
	const curve = h("div"), choice = h("div.toolbar"), table = h("div"), more = h("div.memory-more"),
		lines = h("dl.notes"), picture = h("div.memory-flame");
	const nothing = !model.nrFunctions ?
		"No functions were recorded, so it is not known who allocated: compile with insideme-cc, " +
		"or sample allocations with insideme-run --heap-sample." :
		model.about.has_heap ? "No function allocated." :
			"Allocations were not recorded: INSIDEME_HEAP was off.";
	let tree = null, metric = null, root = null;
	const flame = new Flame({ model, label: "heap by call path",
		describe: (frame) => describeFrame(model, metric, root, (one) => one.value, false)(frame) });
	const map = new Treemap({ label: "heap by function", height: 320,
		tell: (item) => [item.label, [metric.title.toLowerCase(),
			`${exact(metric.unit, item.value)}  ` +
			`(${format("percent", 100 * item.value / root.value)} of ${metric.all})`]] });
	const element = h("div.memory", {}, h("section.box", {}, h("h2", {}, "Heap over time"), curve),
		h("section.box", {}, h("h2", {}, "Who has it",
			h("span.h2-note", {},
			"areas: what functions themselves allocated; flame: by call path"), ofWholeRun()),
			choice, picture), more,
		h("section.box", {}, h("h2", {}, "By function", ofWholeRun()), lines, table));

	const choose = (pressed, onclick, title) => h("button.button",
		{ type: "button", "aria-pressed": String(pressed), onclick }, title);
	const build = () => {
		const offered = metricsOf(tree).filter((one) => ofMemory.includes(one.name));
		metric = offered.find((one) => one.name === state.heap) ?? offered[0];
		if (!metric) {
			replace(choice, h("p.note", {}, nothing));
			picture.hidden = true;
			return;
		}
		const isFlame = state.heapas === "flame";
		replace(choice, h("div.group", { role: "group", "aria-label": "what" },
			offered.map((one) => choose(one === metric, () => set({ heap: one.name }),
			one.title))),
			h("div.group", { role: "group", "aria-label": "how" },
				choose(!isFlame, () => set({ heapas: undefined }), "Areas"),
				choose(isFlame, () => set({ heapas: "flame" }), "Flame")));
		root = frames(tree, tree.numbers(metric.column), false);
		replace(picture, isFlame ? flame.element : map.element);
		if (isFlame) {
			flame.title = `${metric.all}: ${format(metric.unit, root.value)}`;
			flame.setRoot(root);
		} else {
			map.show(groupsOf(app, tree, metric.column));
		}
	};
	(async () => {
		tree = await model.tree();
		const [about, heap, sizeSheet, peakPaths, notFreed] =
			await Promise.all(["heap", "heap.heap", "heap.sizes", "heap.peak_paths",
			"heap.not_freed"].map((name) => model.data.sheet(name)));
		build();
		replace(lines, (about?.about.sections ?? []).filter((section) =>
			section.text).map((section) => [h("dt", {}, section.label ?? ""),
			h("dd", {}, section.text)]));
		replace(table, heap?.rows ? tableOf(heap, { label: "heap", height: 420,
			leave: ["file", "line"], sort: { key: metricsOf(tree).some((one) =>
			one.name === "peak") ? "peak_heap_bytes" : "alloc_bytes", reverse: false },
			empty: "No function allocated.",
			onOpen: (row) => app.select(model.numberOfFull(heap.value("function",
				row))) }).element : h("p.note", {}, nothing));
		replace(more,
			peakPaths?.rows ? h("section.box.paths", {},
				h("h2", {}, "Lived at the peak", ofWholeRun()),
				pathsOf(peakPaths, "peak_heap_bytes", "peak_heap_blocks")) : null,
			notFreed?.rows ? h("section.box.paths", {}, h("h2", {}, "Never freed", ofWholeRun()),
				pathsOf(notFreed, "not_freed_bytes", "not_freed_blocks", "age")) : null,
			sizeSheet?.has("up_to_bytes") && sizeSheet.rows ?
				h("section.box", {}, h("h2", {}, "Sizes",
				h("span.h2-note", {}, "allocations by requested size"), ofWholeRun()),
				sizes(sizeSheet)) : null);
	})();
	const draw = () => drawCurve(app, curve);
	new ResizeObserver(draw).observe(curve);
	return {
		element, shown: () => { draw(); flame.draw(); },
		update: (changed) => {
			if ((changed.has("heap") || changed.has("heapas")) && tree)
				build();
			if (changed.has("from") || changed.has("to"))
				draw();
		},
		key: (event) => event.key === "Escape" && state.heapas === "flame" && flame.back(),
	};
}
