// SPDX-License-Identifier: GPL-3.0-or-later
// Times that text marks with ~ are marked in the page; functions that took no time are among those there are.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { check, csv, folder, makePage, open, record, report, runTests, same, test } from "./lib.mjs";

// Whose source the report finds.
const program = join(folder, "calls.bin");
same("gcc", spawnSync("gcc", ["-g", "-O1", "-finstrument-functions", join(import.meta.dirname, "../programs/calls.c"), "-o", program]).status, 0);
// Without what threads used: where they mostly waited, the page and text begin with CPU time.
const run = record("calls", program, [], { INSIDEME_INTERVAL: "0" });
const functions = csv(run, "functions");
const fields = "leaves = leaf; out = outer";
const page = makePage(run, "calls.html", "--fields", fields);
const isDoubtful = (row) => row.self_is_doubtful === "1";

test("summary: marks are those of the csv", async () => {
	const tab = await open(page);
	const hot = tab.locator("section.box", { hasText: "Where the time went" }).locator("button.hot");
	await hot.first().waitFor();
	const lines = await hot.evaluateAll((list) =>
		list.map((line) => [line.title, line.querySelector(".hot-figure").textContent.startsWith("~")]));
	check(`${lines.filter(([, marked]) => marked).length} marks of ${lines.length}`, lines.some(([, marked]) => marked));
	for (const [name, marked] of lines)
		same(name, marked, functions.filter((row) => row.function === name).some(isDoubtful));
	same("complaints", tab.complaints, []);
});

test("summary: other functions are all others, also those that took no time", async () => {
	const many = record("together", "together"), all = csv(many, "functions");
	const tab = await open(makePage(many, "together.html"));
	const others = await tab.locator(".hot.rest .link").first().innerText(), shown = await tab.locator(".hots").first().locator("button.hot").count();
	check("some took no time", all.some((row) => row.self_ns === "0"));
	same("others", others, `${all.length - shown} other functions`);
	same("complaints", tab.complaints, []);
});

test("fields: marks are those of text", async () => {
	const text = report("-v", "fields", "--fields", fields, "--top", "0", run).stdout;
	const tab = await open(page, { hash: "panel=processes", height: 1600 });
	await tab.locator("[aria-label='shares of the fields']").waitFor();
	const rows = await tab.locator("section", { has: tab.locator("[aria-label='shares of the fields']") }).locator(".share-row").evaluateAll((list) =>
		list.map((row) => [row.querySelector(".hot-name").textContent, row.querySelector(".hot-figure").textContent.startsWith("~")]));
	const ofText = (name) => text.split("\n").find((line) => line.endsWith(`  ${name}`) || line.endsWith(` ${name}`));
	const known = rows.filter(([name]) => ofText(name));
	check(`${known.length} fields, ${known.filter(([, marked]) => marked).length} marked`, known.length > 2 && known.some(([, marked]) => marked));
	for (const [name, marked] of known)
		same(name, marked, /^ *~/.test(ofText(name)));
	same("complaints", tab.complaints, []);
});

test("source: a line's time is in doubt where a function's is that begins there", async () => {
	const tab = await open(page, { hash: "panel=source" });
	await tab.waitForFunction(() => window.insideme.panel?.begins);
	const lines = await tab.evaluate(() => {
		const { panel, model } = window.insideme, self = panel.table.columns.find((column) => column.key === "self_ns");
		return [...panel.begins].map(([line, numbers]) => [numbers.map((one) => model.functions.value("function", one)), self.show(line).textContent.startsWith("~")]);
	});
	check("marks", lines.some(([, marked]) => marked));
	for (const [names, marked] of lines)
		same(names.join(", "), marked, functions.filter((row) => names.includes(row.function)).some(isDoubtful));
	same("complaints", tab.complaints, []);
});

await runTests();
