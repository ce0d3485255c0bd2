// SPDX-License-Identifier: GPL-3.0-or-later
// The panels, in their order: adding one is a file and a line. make(app) gives { element, shown(), update(changed), key(event) }.
import { makeFlame } from "./panel_flame.js";
import { makeFunctions } from "./panel_functions.js";
import { makeMemory } from "./panel_memory.js";
import { makeProcesses } from "./panel_processes.js";
import { makeQuality } from "./panel_quality.js";
import { makeSummary } from "./panel_summary.js";
import { makeTimeline } from "./panel_timeline.js";

export const panels = [
	{ name: "summary", title: "Summary", make: makeSummary },
	{ name: "timeline", title: "Timeline", make: makeTimeline },
	{ name: "flame", title: "Flame graph", make: makeFlame, has: (app) => app.model.nrFunctions > 0 },
	{ name: "functions", title: "Functions", make: makeFunctions, has: (app) => app.model.nrFunctions > 0 },
	{ name: "processes", title: "Processes", make: makeProcesses },
	{ name: "memory", title: "Memory", make: makeMemory },
	{ name: "quality", title: "Errors and quality", make: makeQuality },
];
