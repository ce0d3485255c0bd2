// SPDX-License-Identifier: GPL-3.0-or-later
// The panels, in their order. To add one: a file, and a line here. Their keys are 1 to 9; Compare exists
// with --diff only, and has c.
// make(app) gives { element, shown(), update(changed), key(event) }. isOfCalls: the panel shows the
// functions of app.part().
import { makeCompare } from "./panel_compare.js";
import { makeFlame } from "./panel_flame.js";
import { makeFunctions } from "./panel_functions.js";
import { makeMemory } from "./panel_memory.js";
import { makePlot } from "./panel_plot.js";
import { makeProcesses } from "./panel_processes.js";
import { makeQuality } from "./panel_quality.js";
import { makeSource } from "./panel_source.js";
import { makeSummary } from "./panel_summary.js";
import { makeTimeline } from "./panel_timeline.js";

export const panels = [
	{ name: "summary", title: "Summary", make: makeSummary, isOfCalls: true },
	{ name: "timeline", title: "Timeline", make: makeTimeline },
	{ name: "flame", title: "Flame graph", make: makeFlame, isOfCalls: true,
		has: (app) => app.model.nrFunctions > 0 },
	{ name: "functions", title: "Functions", make: makeFunctions, isOfCalls: true,
		has: (app) => app.model.nrFunctions > 0 },
	{ name: "processes", title: "Processes", make: makeProcesses, isOfCalls: true },
	{ name: "memory", title: "Memory", make: makeMemory },
	{ name: "source", title: "Source", make: makeSource, isOfCalls: true,
		has: (app) => app.model.nrFunctions > 0 && app.model.data.names().includes("source") },
	{ name: "quality", title: "Errors and quality", make: makeQuality },
	{ name: "plot", title: "Plot", make: makePlot },
	{ name: "compare", key: "c", title: "Compare", make: makeCompare,
		has: (app) => app.model.data.names().includes("diff") },
];
