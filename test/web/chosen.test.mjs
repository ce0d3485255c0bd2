// SPDX-License-Identifier: GPL-3.0-or-later
// A chosen part of the time: panels of functions show what single calls tell of it, the others say that they do not.
import { check, csv, digits, makePage, open, record, runTests, same, test } from "./lib.mjs";

const fields = "leaf = leaves; m* = middle";
const run = record("threads", "threads", [], { INSIDEME_THRESHOLD: "0" });
const page = makePage(run, "threads.html", "--fields", fields);
const calls = csv(run, "calls", "--fields", fields);
// Names of functions of the C library as the page shows them, and the field of each function.
const shownName = new Map(calls.map((row) => [row.function, row.module ? row.function : `${row.function} (libc)`]));
const fieldOf = new Map(calls.map((row) => [row.function, row.field]));
const single = calls.map((row) => ({ name: row.function.replace(/\(.*/, ""), thread: row.thread, depth: Number(row.depth), start: Number(row.start_ns), end: Number(row.start_ns) + Number(row.duration_ns) }));
const end = Math.max(...single.map((call) => call.end));
const [from, to] = [Math.round(end * 0.2), Math.round(end * 0.6)];

const overlap = (a, b) => Math.min(a.end, b.end) - Math.max(a.start, b.start);
// The clock is read out of order: a callee may begin some ns before its caller.
const near = (what, found, wanted) => check(`${what}: found ${found}, expected ${wanted}`, Math.abs(found - wanted) <= 1000);

// By name: what the csv's single calls have of [from, to], each call's callers found by thread, depth and time.
function expected() {
	const sums = new Map(), of = (name) => sums.get(name) ?? sums.set(name, { self: 0, total: 0, calls: 0 }).get(name);
	let covered = 0;
	const byThread = new Map();
	for (const call of single)
		(byThread.get(call.thread) ?? byThread.set(call.thread, []).get(call.thread)).push(call);
	for (const call of single) {
		const within = Math.min(call.end, to) - Math.max(call.start, from);
		if (within < 0 || (within === 0 && call.end > call.start))
			continue;
		const above = byThread.get(call.thread).filter((one) => one.depth < call.depth && overlap(one, call) >= (call.end - call.start) / 2);
		const caller = above.find((one) => one.depth === call.depth - 1);
		of(call.name).self += within;
		of(call.name).calls += call.start >= from;
		if (caller)
			of(caller.name).self -= within;
		else
			covered += within;
		if (!above.some((one) => one.name === call.name))
			of(call.name).total += within;
	}
	return { sums, covered };
}
const { sums, covered } = expected();
const hash = (panel) => `panel=${panel}&t=${from}-${to}`;

const rows = (tab) => tab.locator("[role=table][aria-label=functions] .tbody .tr").evaluateAll((list) =>
	list.map((row) => Object.fromEntries([...row.children].map((cell) => [cell.dataset.column, cell.querySelector("span[title]")?.title || cell.textContent]))));

test("functions: self and total time and calls are those of the csv's single calls within it", async () => {
	check(`${single.length} calls, ${sums.size} functions in it`, single.length > 100 && sums.size > 1 && covered > 50000);
	const tab = await open(page, { hash: hash("functions") });
	await tab.getByText("functions in the chosen time").waitFor();
	const shown = await rows(tab);
	const names = shown.map((row) => row.function.replace(/\(.*/, ""));
	same("functions that csv has none of", names.filter((name) => !sums.has(name)), []);
	same("functions that it has", [...sums].filter(([name, sum]) => (sum.calls > 0 || sum.self > 1000) && !names.includes(name)), []);
	for (const row of shown) {
		const sum = sums.get(row.function.replace(/\(.*/, ""));
		near(`self time of ${row.function}`, Number(digits(row.self_ns)), sum.self);
		near(`total time of ${row.function}`, Number(digits(row.total_ns)), sum.total);
		same(`calls of ${row.function}`, Number(digits(row.calls)), sum.calls);
	}
	await tab.getByText("functions of the chosen time").click();
	await tab.getByText("functions of the whole run").waitFor();
	await tab.waitForFunction((nr) => document.querySelectorAll("[role=table][aria-label=functions] .tbody .tr").length === nr, csv(run, "functions").length);
	for (const row of csv(run, "functions"))
		same(`calls of ${row.function}`, digits((await rows(tab)).find((one) => one.function === row.function).calls), row.calls);
	same("complaints", tab.complaints, []);
});

test("summary, flame graph and source have the same time", async () => {
	const tab = await open(page, { hash: hash("summary") });
	await tab.locator(".card", { hasText: "Chosen time" }).waitFor();
	const hottest = [...sums].sort((a, b) => b[1].self - a[1].self)[0];
	await tab.locator(".hot-name", { hasText: hottest[0] }).first().waitFor();
	const figures = await tab.evaluate(async () => (await window.insideme.part()).covered);
	same("time in functions", figures, covered);
	await tab.evaluate((text) => { location.hash = text; }, hash("flame"));
	await tab.waitForFunction((sum) => Math.abs(window.insideme.panel.root?.value - sum) <= 5000, covered);
	await tab.evaluate((text) => { location.hash = text; }, hash("source"));
	const total = (name) => tab.evaluate((text) => {
		const { panel, model } = window.insideme;
		return panel.part ? panel.numbers("self_ns")[model.numbersOf(text)[0]] : -1;
	}, name);
	await tab.waitForFunction(() => window.insideme.panel.part && document.querySelector(".source-file"));
	for (const [name, sum] of sums)
		near(`self time of ${name}`, await total(shownName.get(name)), Math.max(0, sum.self));
	same("complaints", tab.complaints, []);
});

test("fields and threads: shares within it; what is of the whole run says so", async () => {
	const tab = await open(page, { hash: hash("processes"), height: 1600 });
	const ring = (label) => tab.locator("section", { has: tab.locator(`[aria-label='${label}']`) });
	await ring("shares of the fields").waitFor();
	const shown = await ring("shares of the fields").locator(".share-row").evaluateAll((list) => list.map((row) => [row.querySelector(".hot-name").textContent, row.querySelector(".hot-figure").title]));
	const byField = new Map();
	for (const [name, sum] of sums) {
		const field = fieldOf.get(name);
		byField.set(field, (byField.get(field) ?? 0) + sum.self);
	}
	for (const [name, ns] of shown.filter(([field]) => field !== "Others"))
		near(`time of ${name}`, Number(digits(ns)), byField.get(name));
	check("all of them", [...byField].every(([name, ns]) => ns < 1000 || shown.some(([field]) => field === name)));
	check("the rest of the threads' time is there", shown.some(([name]) => name === "Others"));
	check("what is not of the chosen time says so", await tab.locator("section", { hasText: "Processes" }).locator(".whole-run").last().isVisible());
	for (const panel of ["memory", "quality"]) {
		await tab.evaluate((text) => { location.hash = text; }, hash(panel));
		await tab.locator(`main[data-panel=${panel}] .whole-run`).first().waitFor();
	}
	await tab.keyboard.press("0");
	await tab.waitForFunction(() => ![...document.querySelectorAll(".whole-run")].some((one) => one.offsetParent));
	same("complaints", tab.complaints, []);
});

test("calls that never ended are in it, to the end of their process: no part is more than its whole", async () => {
	const open_run = record("open", "still_running", ["exit"], { INSIDEME_THRESHOLD: "0" });
	const last = Math.max(...csv(open_run, "processes").map((row) => Number(row.end_ns)));
	const tab = await open(makePage(open_run, "open.html", "--raw"), { hash: `panel=functions&t=1-${last}` });
	await tab.getByText("functions in the chosen time").waitFor();
	const shown = await tab.evaluate(async () => {
		const part = await window.insideme.part(), { functions, covered, model } = part;
		const of = (name) => model.numbersOf(name)[0];
		return { covered, process: part.processes[0].functions_ns, self: functions.self_ns.reduce((sum, ns) => sum + ns, 0),
			busy: functions.calls[of("busy")], busy_ns: functions.total_ns[of("busy")], run_ns: functions.total_ns[of("run")],
			main_ns: functions.total_ns[of("main")], lives: part.lives().reduce((sum, ns) => sum + ns, 0) };
	});
	const all = csv(open_run, "functions", "--raw").reduce((sum, row) => sum + Number(row.self_ns), 0);
	near("self times of all functions", shown.self, shown.covered);
	near("time in functions of the process", shown.process, shown.covered);
	check(`in functions ${shown.covered} of ${all} in the whole run`, Math.abs(shown.covered - all) <= 20000 && all > 0);
	check(`in functions ${shown.covered}, threads lived ${shown.lives}`, shown.covered <= shown.lives + 20000);
	same("calls of busy", shown.busy, 4);
	check(`busy ${shown.busy_ns} within run ${shown.run_ns}, main ${shown.main_ns}`, shown.busy_ns > 0 && shown.busy_ns <= shown.run_ns + 1000 && shown.main_ns > 0);
	same("complaints", tab.complaints, []);
});

test("without single calls the functions keep the figures of the whole run, and the page says so", async () => {
	const none = record("none", "calls", [], { INSIDEME_THRESHOLD: "1000s" });
	const tab = await open(makePage(none, "none.html"), { hash: "panel=functions&t=0-1000" });
	await tab.getByText("no call was recorded singly").waitFor();
	same("functions", (await rows(tab)).length, csv(none, "functions").length);
	same("complaints", tab.complaints, []);
});

test("a panel that this run does not have shows the summary, and says so in its tab", async () => {
	const tab = await open(makePage(record("plain", "locks.plain", []), "plain.html"), { hash: "panel=functions" });
	await tab.locator("[role=tab][aria-selected=true]").waitFor();
	same("tab", await tab.locator("[role=tab][aria-selected=true]").textContent(), "Summary");
	same("complaints", tab.complaints, []);
});

await runTests();
