// SPDX-License-Identifier: GPL-3.0-or-later
// Panels beside the views that they draw: the comparison of two runs, source, plots, treemap, fields, what happened when.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, check, csv, digits, folder, makePage, open, record, report, runTests, same, test } from "./lib.mjs";

const cells = (tab, table) => tab.locator(`[role=table][aria-label="${table}"] .tbody .tr`).evaluateAll((rows) =>
	rows.map((row) => Object.fromEntries([...row.children].map((cell) => [cell.dataset.column, cell.querySelector("span[title]")?.title || cell.title || cell.textContent]))));

// A program whose main() calls leaf() so many times, and another function three times.
function version(name, times, other) {
	const source = join(folder, `${name}.c`), program = join(folder, name);
	writeFileSync(source, `#include <stdlib.h>\nstatic void *volatile keep;\nvoid leaf(void)\n{\n\tkeep = malloc(${times});\n}\nvoid ${other}(void)\n{\n\tleaf();\n}\n` +
		`int main(void)\n{\n\tfor (int i = 0; i < ${times}; i++)\n\t\tleaf();\n\tfor (int i = 0; i < 3; i++)\n\t\t${other}();\n\treturn 0;\n}\n`);
	same("gcc", spawnSync("gcc", ["-g", "-O1", "-finstrument-functions", source, "-o", program]).status, 0);
	return record(`${name}.run`, program);
}
const before = version("old", 10, "gone"), after = version("new", 25, "fresh");

// Every frame: what the page says it has, how wide it is, and the sum of what is below it.
const allFrames = (tab) => tab.evaluate(() => {
	const { panel, model } = window.insideme, list = [], todo = [panel.root];
	while (todo.length) {
		const frame = todo.pop(), children = frame.children();
		todo.push(...children);
		list.push({ path: panel.tree.path(frame.node ?? 0).map((number) => model.label(number)).join(";"), figure: panel.figure(frame), own: frame.own,
			value: frame.value, below: children.reduce((sum, child) => sum + child.value, 0), other: frame.other, tip: panel.describe(frame).join(" ") });
	}
	return list;
});

test("flame graph: no frame is narrower than what is below it, figures are those of the csv", async () => {
	const run = record("tiny", "calls");
	const tab = await open(makePage(run, "tiny.html"), { hash: "panel=flame" });
	await tab.waitForFunction(() => window.insideme.panel.root);
	const frames = await allFrames(tab), tree = csv(run, "tree");
	same("frames", frames.length - 1, tree.filter((row) => Number(row.self_ns) > 0 || tree.some((other) => other.path.startsWith(`${row.path};`) && Number(other.self_ns) > 0)).length);
	for (const frame of frames) {
		check(`${frame.path}: ${frame.below} below ${frame.value}`, frame.below <= frame.value);
		const row = tree.find((one) => one.path === frame.path);
		if (row)
			same(frame.path, [frame.figure, frame.own], [Number(row.total_ns), Number(row.self_ns)]);
	}
});

// The other threads' time is below the call that began the region, and in no total above, nor subtracted there.
test("flame graph of parallel regions: totals are those of the csv, in a chosen time too", async () => {
	const run = record("teams", "teams", [], { INSIDEME_THRESHOLD: "0" }), page = makePage(run, "teams.html", "--raw");
	const tab = await open(page, { hash: "panel=flame" });
	await tab.waitForFunction(() => window.insideme.panel.root);
	const frames = await allFrames(tab), tree = csv(run, "tree", "--raw"), others = tree.filter((row) => row.function === "(other threads)");
	check(`${others.length} parts of regions`, others.length >= 8);
	for (const row of others)
		check(row.path, frames.some((frame) => frame.path === row.path));
	for (const frame of frames) {
		const row = tree.find((one) => one.path === frame.path);
		if (row)
			same(frame.path, [frame.figure, frame.own], [Number(row.total_ns), Number(row.self_ns)]);
	}
	const end = Math.max(...csv(run, "calls").map((row) => Number(row.end_ns))) + 1000;
	await tab.evaluate((to) => { location.hash = `panel=functions&t=0-${to}`; }, end);
	await tab.getByText("functions in the chosen time").waitFor();
	const part = await tab.evaluate(async () => {
		const { model } = window.insideme, { functions } = await window.insideme.part();
		return Object.fromEntries(["work", "shared", "again"].map((name) => [name, ["self_ns", "total_ns"].map((column) => functions[column][model.numbersOf(name)[0]])]));
	});
	for (const row of csv(run, "functions", "--raw").filter((one) => part[one.function]))
		["self_ns", "total_ns"].forEach((column, i) => check(`${column} of ${row.function}: ${part[row.function][i]}, csv ${row[column]}`,
			Math.abs(part[row.function][i] - Number(row[column])) <= 20000 + Number(row[column]) / 50));
});

test("two runs side by side: the table is the csv's, the flame graph has what both have of each path", async () => {
	const page = makePage(after, "diff.html", "--diff", before);
	const tab = await open(page, { hash: "panel=compare" });
	await tab.locator("[role=table][aria-label=compare] .tbody .tr").first().waitFor();
	check("the programs' names are said", (await tab.locator(".compare .notes").innerText()).includes("different programs, old before and new after"));
	const shown = await cells(tab, "compare"), expected = csv(after, "functions", "--diff", before);
	same("functions", shown.map((row) => row.function).sort(), expected.map((row) => row.function).sort());
	for (const row of expected) {
		const found = shown.find((one) => one.function === row.function);
		for (const column of ["self_before_ns", "self_after_ns", "self_change_ns", "calls_before", "calls_after", "calls_change", "alloc_change_bytes"])
			same(`${column} of ${row.function}`, digits(found[column]), row[column]);
	}
	await tab.evaluate(() => { location.hash = "panel=flame&m=calls"; });
	await tab.waitForFunction(() => window.insideme.panel.root?.value > 0 && window.insideme.panel.metric.name === "calls");
	const tree = csv(after, "tree", "--diff", before);
	const sums = (column, path) => tree.filter((row) => row.path === path || row.path.startsWith(`${path};`)).reduce((sum, row) => sum + Number(row[column]), 0);
	for (const frame of (await allFrames(tab)).filter((one) => one.path))
		same(frame.path, [frame.value, frame.other], [sums("calls_after", frame.path), sums("calls_before", frame.path)]);
	await tab.getByText("Before", { exact: true }).click();
	await tab.waitForFunction(() => window.insideme.panel.root.value === 1 + 10 + 3 + 3);
	const earlier = (await allFrames(tab)).find((one) => one.path === "main;gone");
	same("only the earlier run has it", [earlier.value, earlier.other], [6, 0]);
	check(earlier.tip, /before 6 after 0 change/.test(earlier.tip.replaceAll(",", " ")));
	await tab.keyboard.press("c");
	same("a key leads to the table", await tab.locator("main").getAttribute("data-panel"), "compare");
	same("complaints", tab.complaints, []);
});

test("one run beside two: the flame graph compares it with their mean", async () => {
	const more = record("more.run", join(folder, "old"));
	const tab = await open(makePage(after, "mean.html", "--diff", before, "--diff", more), { hash: "panel=flame&m=calls" });
	await tab.waitForFunction(() => window.insideme.panel.root?.value > 0 && window.insideme.panel.metric.name === "calls");
	const leaf = (await allFrames(tab)).find((one) => one.path === "main;leaf");
	same("calls of leaf", [leaf.value, leaf.other], [25, 10]);
});

test("source: the text of the file, each function's figures beside its line; --no-source leaves it out", async () => {
	const tab = await open(makePage(after, "source.html"), { hash: "panel=source" });
	await tab.locator("[role=table][aria-label=source] .tbody .tr").first().waitFor();
	const shown = await cells(tab, "source"), lines = readFileSync(join(folder, "new.c"), "utf8").split("\n").slice(0, -1);
	same("lines", shown.map((row) => row.text), lines.map((line) => line.replaceAll("\t", "    ")));
	for (const row of csv(after, "functions")) {
		same(`calls of ${row.function}`, shown[row.line - 1].calls.match(/: (.*)$/)[1], row.calls);
		same(`self time of ${row.function}`, digits(shown[row.line - 1].self_ns.match(/: (.*)$/)[1]), row.self_ns);
	}
	same("lines with figures", shown.filter((row) => row.calls).length, 3);
	same("complaints", tab.complaints, []);
	const path = makePage(after, "no_source.html", "--no-source");
	const without = await open(path);
	same("panels without text", await without.locator("#tab-source").count(), 0);
	same("blocks without text", await without.evaluate(() => window.insideme.model.data.names().includes("source")), false);
});

test("source: the samples of each line, of which --no-source keeps the figures alone", async () => {
	const source = join(folder, "inlined.c"), program = join(folder, "inlined");
	writeFileSync(source, readFileSync(new URL("../programs/inlined.c", import.meta.url)));
	same("gcc", spawnSync("gcc", ["-g", "-O2", "-finstrument-functions", source, "-o", program]).status, 0);
	const run = record("lined", program, [], { INSIDEME_SAMPLE: "250" });
	const tab = await open(makePage(run, "lined.html"), { hash: "panel=source" });
	await tab.locator("[role=table][aria-label=source] .tbody .tr").first().waitFor();
	const rows = csv(run, "lines").filter((row) => row.file.endsWith("/inlined.c") && row.line), sums = new Map();
	for (const row of rows)
		sums.set(row.line, (sums.get(row.line) ?? 0) + Number(row.self_ns));
	const shown = await cells(tab, "source");
	check(`${rows.length} lines`, rows.length > 1);
	const drawn = shown.filter((row) => sums.has(row.line));	// the table is longer than the window
	check(`${drawn.length} of them in the window`, drawn.length > 1);
	for (const row of drawn)
		same(`self time in line ${row.line}`, digits(row.line_self_ns.match(/: (.*)$/)[1]), String(sums.get(row.line)));
	same("complaints", tab.complaints, []);
	const without = await open(makePage(run, "unlined.html", "--no-source"));
	const texts = await without.evaluate(async () => { const sheet = await window.insideme.model.data.sheet("lines.lines"); return [sheet.rows, sheet.has("text") && sheet.value("text", 0)]; });
	check(`${texts[0]} rows`, texts[0] > 1);
	check(`text: ${texts[1]}`, !texts[1] || texts[1].startsWith("(rest of"));
});

test("source: hits, times and blocks of each line", async () => {
	const run = record("calling", join(folder, "new"), [], { INSIDEME_CALL_LINES: "on" });
	const tab = await open(makePage(run, "calling.html"), { hash: "panel=source", width: 1280 });
	await tab.locator("[role=table][aria-label=source] .tbody .tr").first().waitFor();
	const shown = await cells(tab, "source"), rows = csv(run, "lines").filter((row) => row.file && row.line);
	const known = (row, column) => (shown[row.line - 1][`line_${column}`] ?? "").match(/run: (.*?)( in .*)?$/)?.[1] ?? "";
	same("hits of lines", rows.map((row) => [row.line, row.hits]).sort(), [["14", "25"], ["16", "3"], ["5", ""], ["9", "3"]]);
	for (const row of rows)
		for (const column of ["hits", "time_ns", "alloc_bytes", "peak_bytes"])
			same(`${column} of line ${row.line}`, digits(known(row, column)) || "", Number(row[column]) ? row[column] : "");
	const line = rows.find((row) => row.hits === "25");
	same("time of a hit", digits(known(line, "per_hit_ns")).split(".")[0], String(Math.trunc(line.time_ns / 25)));
	const functions = csv(run, "functions"), main = functions.find((row) => row.function === "main");
	same("percent of its function's time", known(line, "time_percent"), `${(100 * line.time_ns / main.total_ns).toFixed(3)} %`);
	check("single calls", shown[line.line - 1].line_time_ns.includes(` in 25 calls, each `));
	const text = await tab.locator(".source .td[data-column=text]").first().boundingBox();
	check(`text of ${text.width} px at ${text.x}`, text.width >= 260 && text.x + 260 <= 1280);
	same("complaints", tab.complaints, []);
});

test("plot: the machine of each of two runs has its own values", async () => {
	const runs = ["first.machine", "second.machine"].map((name) => record(name, "/bin/sleep", ["3"]));
	const tab = await open(makePage(runs, "machines.html"), { hash: "panel=plot&y=system/memory_used_bytes&x=system/memory_available_bytes" });
	await tab.waitForFunction(() => window.insideme.panel?.lineOf);
	const found = await tab.evaluate(() => {
		const { series, panel } = window.insideme, of = (column) => series.find("system", column);
		const { from, to } = panel.app, shown = ({ x, y }) => y.filter((_, at) => x[at] >= from && x[at] <= to); // insideme-run samples before its program starts
		return { lines: of("memory_used_bytes").map((one, i) => panel.lineOf(one, i)).map(({ label, x }) => [label, x.length > 1 && x[0]]),
			expected: of("memory_available_bytes").map((one) => [one.machine, Math.min(...shown(one))]) };
	});
	same("machines", found.expected.map(([name]) => name), ["machine, run 1", "machine, run 2"]);
	same("lines", found.lines, found.expected);
});

test("plot: each sample is a record, by number, by another column, the last of them", async () => {
	const run = record("burnt", "burn", ["200", "100"]);
	const tab = await open(makePage(run, "plot.html"), { hash: "panel=plot&y=process/rss_bytes" });
	const expected = csv(run, "resources").filter((row) => row.set === "process");
	const lines = () => tab.evaluate(() => window.insideme.panel.lineOf(window.insideme.series.find("process", "rss_bytes")[0], 0)).then(({ x, y }) => [Object.values(x), Object.values(y)]);
	same("RSS over time", await lines(), [expected.map((row) => Number(row.time_ns)), expected.map((row) => row.rss_bytes === "" ? null : Number(row.rss_bytes))]);
	await tab.locator("select[aria-label=x]").selectOption("record");
	same("by number", (await lines())[0], expected.map((_, i) => i));
	await tab.locator("input[type=number]").fill("3");
	await tab.keyboard.press("Enter");
	await tab.waitForFunction(() => location.hash.includes("last=3"));
	same("the last three", (await lines())[1], expected.slice(-3).map((row) => row.rss_bytes === "" ? null : Number(row.rss_bytes)));
	await tab.locator("select[aria-label=x]").selectOption("process/cpu_ns");
	same("as many by another column", (await lines())[0].length, 3);
	for (const name of ["Steps", "Points", "Line"])
		await tab.getByText(name, { exact: true }).click();
	same("complaints", tab.complaints, []);
});

// The kernel counts user and system time in steps of its tick, CPU time exactly.
test("rates are at most what there is, as in the other reports", async () => {
	const run = record("bounded", "burn", ["1000", "100"], { INSIDEME_INTERVAL: "5ms" });
	const tab = await open(makePage(run, "bounded.html"));
	const rates = (column) => tab.evaluate((name) => [...window.insideme.series.points(window.insideme.series.find("process", name)[0]).y], column);
	const whole = await rates("cpu_ns"), user = await rates("user_ns");
	same("as many", user.length, whole.length);
	same("above the whole", user.filter((rate, i) => rate > whole[i]).length, 0);
	check("at it in places", user.some((rate, i) => rate > 0 && rate === whole[i]));
	same("complaints", tab.complaints, []);
});

test("--time-unit and --mem-unit: one unit for all, in the page as in text", async () => {
	const units = ["--time-unit", "ms", "--mem-unit", "KiB"];
	const tab = await open(makePage(before, "units.html", ...units), { hash: "panel=functions" });
	const shown = await tab.locator("[role=table][aria-label=functions] .tbody .tr").evaluateAll((rows) => rows.map((row) => Object.fromEntries([...row.children].map((cell) => [cell.dataset.column, cell.innerText]))));
	for (const row of csv(before, "functions", ...units)) {		// csv is in ns and bytes as ever
		const found = shown.find((one) => one.function === row.function);
		check(`${row.function}: ${found.self_ns} of ${row.self_ns} ns`, row.self_ns === "0" ? /^~?0$/.test(found.self_ns) : / ms$/.test(found.self_ns) && Math.abs(parseFloat(found.self_ns.replace("~", "")) * 1e6 - row.self_ns) <= row.self_ns / 200 + 0.01);
		check(`${found.alloc_bytes} of ${row.alloc_bytes} bytes`, row.alloc_bytes === "0" ? found.alloc_bytes === "0" : / KiB$/.test(found.alloc_bytes));
	}
	const text = report("-v", "functions", ...units, before).stdout;
	check(text, / ms /.test(text) && !/ (us|ns|s) /.test(text.split("\n").filter((line) => /leaf|main|gone/.test(line)).join("\n")));
	same("status of a unit that there is not", report("--time-unit", "days", before).status, 2);
	same("complaints", tab.complaints, []);
});

test("memory: areas are shares of the heap at its peak, as in the csv", async () => {
	const run = record("leaks", "leaks");
	const tab = await open(makePage(run, "areas.html"), { hash: "panel=memory" });
	await tab.locator(".treemap-box").first().waitFor();
	const boxes = await tab.locator(".treemap-box").evaluateAll((all) => all.map((one) => ({ label: one.getAttribute("aria-label"), area: (one.offsetWidth + 1) * (one.offsetHeight + 1) })));
	const expected = csv(run, "heap").filter((row) => Number(row.peak_heap_bytes) > 0);
	const sum = expected.reduce((all, row) => all + Number(row.peak_heap_bytes), 0), area = boxes.reduce((all, box) => all + box.area, 0);
	check(`${boxes.length} areas of ${expected.length} functions`, boxes.length > 1 && boxes.length <= expected.length);
	for (const box of boxes) {
		const row = expected.find((one) => box.label.startsWith(`${one.function.replace(/\(.*/, "")} `));
		check(`${box.label}: ${box.area / area} of the area`, Math.abs(box.area / area - Number(row.peak_heap_bytes) / sum) < 0.02);
	}
	await tab.getByText("Flame", { exact: true }).click();
	await tab.locator(".flame-canvas").waitFor();
	same("complaints", tab.complaints, []);
});

test("fields: shares are those of the csv, and each process has its own", async () => {
	const run = record("fields", "/bin/sh", ["-c", `${build}/test/bin/calls; ${build}/test/bin/calls & wait`]);
	const tab = await open(makePage(run, "fields.html", "--fields", "leaf = leaves; m* = middle"), { hash: "panel=processes", height: 1600 });
	await tab.locator("[role=table][aria-label=fields] .tbody .tr").first().waitFor();
	const section = tab.locator("section", { has: tab.locator("[role=table][aria-label=fields]") });
	const shown = await section.locator(".share-row").evaluateAll((rows) => rows.map((row) => [row.querySelector(".hot-name").textContent, row.querySelector(".hot-figure").title]));
	const expected = csv(run, "fields", "--fields", "leaf = leaves; m* = middle");
	const sums = JSON.parse(report("-v", "fields", "-f", "json", "--fields", "leaf = leaves; m* = middle", run).stdout).fields.map((row) => `${row.field} ${row.self_ns}`);
	same("fields", shown.map(([name, value]) => `${name} ${digits(value)}`).sort(), sums.sort());
	const parts = await tab.locator("[role=table][aria-label=fields] .tr").evaluateAll((rows) => rows.slice(1).map((row) => [row.children[0].textContent, ...[...row.querySelectorAll(".stack-part")].map((part) => part.title)]));
	for (const [process, ...titles] of parts)
		same(`fields of ${process}`, titles.map((title) => `${title.split(":")[0]} ${digits(title.match(/: (.*) ns,/)[1])}`).sort(),
			expected.filter((row) => `${row.program} ${row.pid}` === process && row.self_ns > 0).map((row) => `${row.field} ${row.self_ns}`).sort());
	same("processes", (await cells(tab, "fields")).length, 2);
	const first = tab.locator("[role=table][aria-label=fields] .tbody .tr").first(), name = parts[0][0];
	await first.click();
	await section.getByText(name, { exact: true }).first().waitFor();
	const ofOne = await section.locator(".share-row").evaluateAll((rows) => rows.map((row) => [row.querySelector(".hot-name").textContent, row.querySelector(".hot-figure").title]));
	same("fields of the process whose row is opened", ofOne.map(([field, value]) => `${field} ${digits(value)}`).sort(),
		expected.filter((row) => `${row.program} ${row.pid}` === name).map((row) => `${row.field} ${row.self_ns}`).sort());
	await first.click();
	same("fields of all again", await section.locator(".share-row").count(), shown.length);
	same("complaints", tab.complaints, []);
});

test("of one process its threads have shares, those of the csv; counters of the program have curves", async () => {
	const run = record("shared", "threads"), counted = record("counted", "marks");
	const tab = await open(makePage(run, "shared.html"), { hash: "panel=processes&share=calls", height: 1600 });
	const section = tab.locator("section", { has: tab.locator("[aria-label='shares of the threads']") });
	await section.waitFor();
	const shown = await section.locator(".share-row").evaluateAll((rows) => rows.map((row) => `${row.querySelector(".hot-name").textContent.match(/\d+$/)} ${row.querySelector(".hot-figure").title}`).filter((text) => !text.startsWith("null")));
	const expected = csv(run, "threads").map((row) => `${row.thread} ${row.calls}`);
	same("threads, those with most calls", shown.length, 12);
	same("calls that csv has not", shown.map((text) => text.replaceAll("\u202f", "")).filter((text) => !expected.includes(text)), []);
	const marks = await open(makePage(counted, "counted.html"), { hash: "panel=timeline" });
	await marks.locator(".timeline-key b", { hasText: "level" }).waitFor();
	same("complaints", [...tab.complaints, ...marks.complaints], []);
});

test("exceptions and the program's marks are on the time axis", async () => {
	const thrown = record("throws", "throws"), marked = record("marks", "marks");
	const marksOf = async (run) => {
		const tab = await open(makePage(run, "marks.html"), { hash: "panel=timeline" });
		await tab.waitForFunction(() => window.insideme.lanes?.marks);
		same("complaints", tab.complaints, []);
		return tab.evaluate(() => [...window.insideme.lanes.marks.rows.values()].flat().map((mark) => ({ time: mark.time, text: mark.lines.flat().join(" ") })));
	};
	const errors = JSON.parse(report("-v", "errors", "-f", "json", thrown).stdout).errors;
	const shown = await marksOf(thrown);
	for (const row of errors.filter((one) => one.message && one.function.startsWith("token")))
		check(`${row.message} from ${row.first_ns} on`, shown.some((mark) => mark.time >= row.first_ns && mark.text.includes(row.message) && mark.text.includes(row.type)));
	same("as many as are kept of each", shown.filter((mark) => / caught after|^(rethrown )?exception/.test(mark.text)).length,
		errors.filter((one) => /exception/.test(one.kind)).reduce((sum, row) => sum + Math.min(100, row.count), 0));
	const marks = csv(marked, "marks").filter((row) => row.kind !== "timer");
	check(`${marks.length} marks`, marks.length > 0);
	const found = await marksOf(marked);
	for (const row of marks)
		check(`${row.kind} ${row.name} at ${row.time_ns}`, found.some((mark) => mark.time === Number(row.time_ns) && mark.text.startsWith(`${row.kind} ${row.name}`)));
});

await runTests();
