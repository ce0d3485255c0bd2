// SPDX-License-Identifier: GPL-3.0-or-later
// The page of insideme-report -f html: what each panel shows, beside the csv of the same run.
import { build, csv, digits, makePage, open, readFileSync, record, report, runTests, same, check, test } from "./lib.mjs";

const run = record("calls", "calls");
const page = makePage(run);

// Cells of the rows that a table shows, by the column's name; numbers with all digits, from the title.
const cells = (browserPage, table) => browserPage.locator(`[role=table][aria-label="${table}"] .tbody .tr`).evaluateAll((rows) =>
	rows.map((row) => Object.fromEntries([...row.children].map((cell) => [cell.dataset.column, cell.querySelector("span[title]")?.title || cell.title || cell.textContent]))));

test("the functions are those of the csv, with calls, self and total time", async () => {
	// Without what threads used: where they mostly waited, the first columns are others.
	const timed = record("timed", "calls", [], { INSIDEME_INTERVAL: "0" });
	const tab = await open(makePage(timed, "timed.html"), { hash: "panel=functions" });
	const shown = await cells(tab, "functions");
	const expected = csv(timed, "functions");
	same("functions", shown.map((row) => row.function).sort(), expected.map((row) => row.function).sort());
	for (const row of expected) {
		const found = shown.find((one) => one.function === row.function);
		for (const column of ["calls", "self_ns", "total_ns", "max_ns"])
			same(`${column} of ${row.function}`, digits(found[column]), row[column]);
	}
	same("labels", await tab.evaluate(() => Array.from({ length: window.insideme.model.nrFunctions }, (_, i) => window.insideme.model.label(i))), await tab.evaluate(() =>
		Array.from({ length: window.insideme.model.nrFunctions }, (_, i) => window.insideme.model.functions.value("function", i))));
	same("complaints", tab.complaints, []);
});

test("a search leaves the functions that have it in their name", async () => {
	const tab = await open(page, { hash: "panel=functions" });
	await tab.fill("input[type=search]", "mid");
	await tab.getByText("1 of 7 functions").waitFor();
	same("functions", (await cells(tab, "functions")).map((row) => row.function), ["middle"]);
	await tab.waitForFunction(() => location.hash.includes("q=mid"));
});

test("a function's callers and callees have their calls", async () => {
	const tab = await open(page, { hash: "panel=functions&f=middle" });
	const lists = await tab.locator(".neighbours").evaluateAll((all) => all.map((list) => list.innerText.replaceAll(/\s+/g, " ")));
	check(`called by outer 3000 times: ${lists[0]}`, / 3000 × outer/.test(lists[0]));
	check(`calls leaf 6000 times: ${lists[1]}`, / 6000 × leaf/.test(lists[1]));
});

test("the summary has the run's figures", async () => {
	const tab = await open(page);
	const text = await tab.locator(".cards").innerText();
	const functions = csv(run, "functions");
	const calls = functions.reduce((sum, one) => sum + Number(one.calls), 0);
	check(`${calls} calls in ${text}`, text.includes(`${(calls / 1000).toFixed(1)} k calls of ${functions.length} functions`));
});

test("the timeline has every single call of the csv, with start, duration and heap", async () => {
	const all = record("all", "threads", [], { INSIDEME_THRESHOLD: "0" });
	const tab = await open(makePage(all, "all.html"), { hash: "panel=timeline" });
	await tab.waitForFunction(() => window.insideme.lanes);
	const shown = await tab.evaluate(() => {
		const { spans, app } = window.insideme.lanes;
		return spans.lanes.flatMap((lane) => Array.from({ length: lane.end - lane.first }, (_, i) => lane.first + i)
			.map((span) => spans.flags[span] & 4 ? "open" : [lane.depth, app.model.label(spans.func(span)).replace(/ \(libc\)$/, ""), spans.start[span], spans.duration[span], spans.heap[span]].join(" ")));
	});
	const expected = csv(all, "calls").map((row) => [row.depth, row.function, row.start_ns, row.duration_ns, row.heap_delta_bytes].join(" "));
	check(`${expected.length} calls`, expected.length > 100);
	const left = new Set(expected);
	same("calls that csv has not", shown.filter((call) => call !== "open" && !left.has(call)), []);
	same("number of calls", shown.filter((call) => call !== "open").length, expected.length);
	same("open calls", shown.filter((call) => call === "open").length, csv(all, "functions").reduce((sum, row) => sum + Number(row.open_calls), 0));
	same("complaints", tab.complaints, []);
});

test("the flame graph: widths are sums of the csv, a click zooms, the address keeps it, Escape goes back", async () => {
	const tab = await open(makePage(run, "raw.html", "--raw"), { hash: "panel=flame" });	// self times are above 0, so their sum is theirs
	await tab.waitForFunction(() => window.insideme.panel.flame.zoom);
	const values = () => tab.evaluate(() => {
		const { flame, root } = window.insideme.panel;
		return { paths: root.source.tree.nr, all: root.value, zoom: window.insideme.model.label(flame.zoom.func), top: root.children().map((frame) => [window.insideme.model.label(frame.func), frame.value]) };
	});
	const functions = csv(run, "functions", "--raw");
	const sum = functions.reduce((all, row) => all + Number(row.self_ns), 0);
	let found = await values();
	check(`${found.all} is ${sum}, each of ${found.paths} paths rounded`, Math.abs(found.all - sum) <= found.paths);
	const inner = () => tab.evaluate(() => {	// of the widest frame below the root
		const { flame } = window.insideme.panel, box = flame.boxes?.find((one) => one.depth === 1), place = flame.canvas.getBoundingClientRect();
		return box ? [place.left + box.x + box.width / 2, place.top + flame.y(1) + 8] : null;
	});
	await tab.waitForFunction(() => window.insideme.panel.flame.boxes?.length > 2);
	await tab.mouse.click(...await inner());
	await tab.waitForFunction(() => window.insideme.panel.flame.zoom.parent);
	await tab.waitForFunction(() => location.hash.includes("z="));
	await tab.keyboard.press("Escape");
	await tab.keyboard.press("Escape");
	await tab.waitForFunction(() => !window.insideme.panel.flame.zoom.parent);
	await tab.getByText("Callees first").click();
	await tab.waitForFunction(() => window.insideme.panel.root.constructor !== window.insideme.panel.flame.constructor && location.hash.includes("inv=1"));
	await tab.getByText("Calls", { exact: true }).click();
	await tab.waitForFunction((calls) => window.insideme.panel.root.value === calls, functions.reduce((all, row) => all + Number(row.calls), 0));
	found = await values();
	same("calls by function", found.top.sort(), functions.map((row) => [row.function.replace(/\(.*/, ""), Number(row.calls)]).sort());
	same("complaints", tab.complaints, []);
});

test("processes: shares and the table are those of the csv; how even functions are adds up to their self time", async () => {
	const all = record("children", "/bin/sh", ["-c", `${build}/test/bin/calls; ${build}/test/bin/calls & wait`]);
	const tab = await open(makePage(all, "children.html"), { hash: "panel=processes", height: 1600 });
	await tab.locator("[role=table][aria-label=imbalance] .tbody .tr").first().waitFor();
	const expected = csv(all, "processes");
	check(`${expected.length} processes`, expected.length > 2);
	await tab.evaluate(() => { location.hash = "panel=summary"; });
	await tab.getByText("how even functions are").waitFor();
	const times = await tab.locator("section", { hasText: "By process" }).locator(".hot-figure").evaluateAll((list) => list.map((one) => one.title));
	same("time in functions", times.map(digits).sort(), expected.map((row) => row.functions_ns).filter((ns) => ns > 0).sort());
	await tab.getByText("how even functions are").click();
	const shown = await cells(tab, "processes");
	same("pids", shown.map((row) => digits(row.pid)).sort(), expected.map((row) => row.pid).sort());
	const sums = await tab.evaluate(async () => {
		const { model } = window.insideme;
		const sheet = await model.data.sheet("ranks"), nr = model.processes.rows;
		return Array.from(sheet.numbers("function"), (number, row) => [model.label(number), sheet.numbers("calls").subarray(row * nr, (row + 1) * nr).reduce((sum, calls) => sum + calls, 0)]);
	});
	const functions = csv(all, "functions");
	for (const row of functions)
		same(`calls of ${row.function}`, sums.find(([name]) => name === row.function.replace(/\(.*/, ""))?.[1], Number(row.calls));
	same("complaints", tab.complaints, []);
});

test("memory: who allocated, as in the csv", async () => {
	const all = record("alloc", "alloc");
	const tab = await open(makePage(all, "alloc.html"), { hash: "panel=memory", height: 1600 });
	await tab.locator("[role=table][aria-label=heap] .tbody .tr").first().waitFor();
	const shown = await cells(tab, "heap");
	for (const row of csv(all, "heap"))
		same(`bytes of ${row.function}`, digits(shown.find((one) => one.function === row.function).alloc_bytes), row.alloc_bytes);
	same("complaints", tab.complaints, []);
});

test("errors and quality: how it ended, and every finding with its number", async () => {
	const tab = await open(page, { hash: "panel=quality" });
	await tab.locator("[data-finding]").first().waitFor();
	same("status", (await cells(tab, "ends")).map((row) => digits(row.exit_status)), csv(run, "processes").map((row) => row.exit_status));
	const shown = await tab.locator("[data-finding]").evaluateAll((all) => all.map((one) => [one.dataset.finding, Number(one.dataset.value)]));
	const rounded = (value) => Number(Number(value).toFixed(3));
	const sorted = (list) => list.map(([name, value]) => [name, rounded(value)]).sort();	// costs come last on the page
	same("findings", sorted(shown), sorted(csv(run, "quality").map((row) => [row.finding, row.value])));
	const costs = await tab.locator("[aria-label=costs] li").evaluateAll((all) => all.map((one) => one.dataset.finding));
	same("costs are no doubts", costs.includes("log_bytes") && await tab.locator("[aria-label=findings] [data-finding=log_bytes]").count(), 0);
});

test("the first page is there as text, at once and without the script", async () => {
	const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
	const [, text] = readFileSync(page, "utf8").match(/<div id="app"><pre class="first">([^]*?)<\/pre>/);
	const shown = text.replace(/&(lt|gt|amp);/g, (entity) => entities[entity]).split("\n");
	const expected = report(run).stdout.split("\n");
	check(`${shown.length} lines`, shown.length > 20);
	same("without how long ago", / \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, on /.test(shown[0]), true);
	same("what is said", report("-f", "html", "-o", page, run).stderr, "");
	same("all other lines", shown.slice(1).join("\n"), expected.slice(1).join("\n"));
});

await runTests();
