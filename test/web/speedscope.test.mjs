// SPDX-License-Identifier: GPL-3.0-or-later
// Our files in speedscope itself. What it exports after it has imported them has the numbers of our csv.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check, csv, folder, openTool, readFileSync, record, report, runTests, same, test } from "./lib.mjs";

const page = fileURLToPath(new URL("node_modules/speedscope/dist/release/index.html", import.meta.url));
const run = record("calls", "calls", [], { INSIDEME_THRESHOLD: "0" });
const heap = record("leaks", "leaks");

// The profiles that speedscope exports after it has imported a file of the run.
async function exported(run, format, ...options) {
	const path = join(folder, `file.${format}`);
	const { status, stderr } = report("-f", format, "-o", path, ...options, run);
	same(`status of -f ${format}: ${stderr}`, status, 0);
	const tab = await openTool(page);
	const asked = tab.waitForEvent("filechooser");
	await tab.getByText(/Import$/).click();
	await (await asked).setFiles(path);
	const button = tab.getByText(/Export$/);
	await button.waitFor();
	const saved = tab.waitForEvent("download");
	await button.click();
	const file = JSON.parse(readFileSync(await (await saved).path(), "utf8"));
	same("complaints", tab.complaints, []);
	return file.profiles.map((profile) => ({ ...profile, frames: file.shared.frames }));
}

// Calls, their time, and what is theirs alone, by function. Call paths come as one call after the other.
function byFunction({ events, frames }) {
	const found = {}, open = [];
	let last = 0;
	for (const { type, frame, at } of events) {
		if (open.length)
			found[open.at(-1).name].self += at - last;
		last = at;
		if (type === "C") {
			const { name, begin } = open.pop();
			found[name].time += at - begin;
			continue;
		}
		const { name } = frames[frame];
		open.push({ name, begin: at });
		found[name] ??= { calls: 0, time: 0, self: 0 };
		found[name].calls++;
	}
	return found;
}

const near = (what, found, expected, difference) =>
	check(`${what}: found ${found}, expected ${expected}`, Math.abs(found - expected) <= difference);

// Each value of a column, by function.
function sameColumn(profile, rows, column) {
	const found = byFunction(profile);
	check(`${column} is somewhere`, rows.some((row) => Number(row[column]) > 0));
	for (const row of rows)
		near(`${column} of ${row.function}`, found[row.function]?.self ?? 0, Number(row[column]), 3);
}



// By function, from entries and exits of the one thread. speedscope shows no call that took 0 ns.
function ofEvents(run) {
	const found = {}, open = [];
	for (const event of csv(run, "events")) {
		const sum = found[event.function] ??= { calls: 0, time: 0 };
		if (event.type === "call") {
			open.push(event);
			continue;
		}
		const ns = event.time_ns - open.pop().time_ns;
		sum.calls += ns > 0;
		sum.time += ns;
	}
	return found;
}

// In our file for speedscope calls deeper than 500 are "(deeper)".
test("single calls of -f speedscope", async () => {
	const [profile] = await exported(run, "speedscope");
	const found = byFunction(profile), expected = ofEvents(run);
	for (const name of ["main", "outer", "middle", "leaf", "fib"]) {
		near(`time of ${name}`, found[name].time, expected[name].time, 10);
		same(`calls of ${name}`, found[name].calls, expected[name].calls);
	}
});

// In whole ns our file for chrome has just these calls. speedscope takes a call that begins when one of the same name ends
// for a part of that, and adds begin and duration up in floating point: some calls are lost, and times move.
test("single calls of -f chrome", async () => {
	const [profile] = await exported(run, "chrome");
	const found = byFunction(profile), expected = ofEvents(run), ours = {};
	for (const { ph, name, dur } of JSON.parse(readFileSync(join(folder, "file.chrome"), "utf8")).traceEvents) {
		if (ph !== "X")
			continue;
		const sum = ours[name] ??= { calls: 0, time: 0 };
		sum.calls += dur > 0;
		sum.time += Math.round(dur * 1000);
	}
	for (const name of ["main", "outer", "middle", "leaf", "fib", "even", "odd"]) {
		same(`time of ${name}`, ours[name].time, expected[name].time);
		same(`calls of ${name}`, ours[name].calls, expected[name].calls);
		near(`calls of ${name} in speedscope`, found[name].calls, expected[name].calls, expected[name].calls / 20);
	}
});

test("sums by call path of -f speedscope", async () => {
	const profiles = await exported(heap, "speedscope"), rows = csv(heap, "functions");
	for (const [name, column] of [["time", "self_ns"], ["calls", "calls"], ["allocated", "alloc_bytes"],
		["at the heap's peak", "peak_heap_bytes"], ["not freed", "not_freed_bytes"]])
		sameColumn(profiles.find((profile) => profile.name === name), rows, column);
});

test("the time of -f pprof", async () => {
	const [profile] = await exported(heap, "pprof");
	sameColumn(profile, csv(heap, "functions"), "self_ns");
});

await runTests();
