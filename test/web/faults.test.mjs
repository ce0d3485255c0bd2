// SPDX-License-Identifier: GPL-3.0-or-later
// Bad input to the page: names that are markup, runs with nothing in them, output that cannot be written.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, check, csv, folder, leave, makePage, open, record, report, runTests, same, test } from "./lib.mjs";

const panels = ["summary", "timeline", "flame", "functions", "processes", "memory", "source", "quality", "plot", "compare"];

// Every panel that the run has shows something, and nothing complains.
async function lookAtAll(path, options = {}) {
	const tab = await open(path, options);
	for (const panel of await tab.locator("[role=tab]").evaluateAll((all) => all.map((one) => one.id.slice(4)))) {
		check(`${panel} is a panel`, panels.includes(panel));
		await tab.evaluate((name) => { location.hash = `panel=${name}`; }, panel);
		await tab.waitForFunction((name) => document.querySelector("main").dataset.panel === name && document.querySelector("main").innerText.length > 10, panel);
		await tab.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
	}
	await tab.waitForTimeout(300);		// what is drawn later than its panel
	same("complaints", tab.complaints, []);
	return tab;
}

// A program whose functions, arguments and threads have such names: in place of names of the same length.
function hostile() {
	const program = join(folder, "</script><img src=x onerror=document.title=1>".replaceAll("/", "_"));
	const bytes = readFileSync(join(build, "test/bin/names"));
	const names = ["</script><b>x", "<img src=x onerro", "'\"><svg onload=1>", "\u2028\u2029`${x}`<!--"];
	["a", "b", "c", "d"].forEach((letter, i) => {
		const old = Buffer.from(`placeholder_name_${letter}`), now = Buffer.alloc(old.length, ".");
		Buffer.from(names[i]).copy(now, 0, 0, old.length);
		for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, at + 1))
			now.copy(bytes, at);
	});
	writeFileSync(program, bytes);
	chmodSync(program, 0o755);
	return record("hostile", program, ["<script>document.title='run'</script>", "<!-- <script>", "--></script><script>document.title='ran'</script>"]);
}

test("names that are markup are text, on every panel", async () => {
	const path = makePage(hostile(), "hostile.html");
	const text = readFileSync(path, "latin1");
	const own = text.replace(/<script type="application\/octet-stream"[^<]*<\/script>/g, "")
		.replace(/<pre class="first">[^<>]*<\/pre>/, "");		// text without markup
	check("no byte of a name is in the page as it stands, but as text", !own.includes("onerro") && !own.includes("document.title='r"));
	const tab = await lookAtAll(path);
	same("elements that a name made", await tab.locator("#app img, #app b:has-text('x'), #app script, [onload], [onerror]").count(), 0);
	check("no script of a name ran", !/^(1|run|ran)$/.test(await tab.title()));
	await tab.evaluate(() => { location.hash = "panel=functions"; });
	await tab.locator("[role=table][aria-label=functions] .tbody .tr").first().waitFor();
	const shown = await tab.locator("[role=table][aria-label=functions] .tbody .tr").allInnerTexts();
	check("the name is there as text", shown.some((row) => row.includes("</script><b>x")));
	await tab.evaluate(() => { location.hash = `panel=functions&f=${encodeURIComponent("<img src=x onerror=alert(1)>")}&q=${encodeURIComponent("<b>")}`; });
	await tab.waitForTimeout(200);
	same("complaints", tab.complaints, []);
	const beside = await lookAtAll(makePage(record("tame", "calls"), "beside.html", "--diff", join(folder, "hostile")));
	same("elements that a name made beside another run", await beside.locator("#app img, #app b:has-text('x'), #app script, [onload], [onerror]").count(), 0);
	check("it is there as text", (await beside.locator("[role=table][aria-label=compare] .tbody .tr").allInnerTexts()).some((row) => row.includes("</script><b>x")));
});

// One that says such things of itself: marks, counters, fields, regions, threads, exceptions; with such a file.
function sayer() {
	const evil = (what) => `<img src=x onerror=document.title='${what}'></script><script>document.title='${what}'</script>`;
	const source = join(folder, "<b>said<b>.cpp"), program = join(folder, "sayer");
	const quoted = (what) => JSON.stringify(evil(what));
	writeFileSync(source, `// ${evil("source")}
#include <insideme.h>
#include <pthread.h>
#include <stdexcept>
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept;
static void thrower() { throw std::runtime_error(${quoted("thrown")}); }
static void work() {
	INSIDEME_FIELD(${quoted("field")});
	kept = malloc(100000);
	insideme_mark(${quoted("mark")});
	insideme_counter(${quoted("counter")}, 7);
	insideme_fail("<b>said</b>", ${quoted("fail")});
	INSIDEME_REGION(${quoted("region")});
	usleep(30000);
	insideme_counter(${quoted("counter")}, 9);
	try { thrower(); } catch (const std::exception &) { }
}
int main() {
	pthread_setname_np(pthread_self(), "<b onload=1>");
	work();
	return 0;
}
`);
	const { status, stderr } = spawnSync("g++", ["-g", "-O1", "-finstrument-functions", "-I", fileURLToPath(new URL("../../include", import.meta.url)), source, "-o", program, "-pthread"], { encoding: "utf8" });
	check(`g++: ${stderr}`, status === 0);
	return record("said", program, [], { INSIDEME_THRESHOLD: "0" });
}

test("what a program says of itself is text, on every panel and in the tips", async () => {
	const tab = await lookAtAll(makePage(sayer(), "said.html"));
	const here = (panel) => tab.evaluate((name) => { location.hash = `panel=${name}`; }, panel);
	const made = () => tab.locator("#app img, #app b:has-text('said'), #app script, .tip img, [onload], [onerror]").count();
	const holds = async (panel, text) => {
		await here(panel);
		await tab.waitForFunction((part) => document.querySelector("main").textContent.includes(part), text);
		same(`elements that ${text} made on ${panel}`, await made(), 0);
	};
	await holds("processes", "document.title='field'");
	await holds("quality", "document.title='thrown'");
	await holds("source", "document.title='source'");
	await here("timeline");
	await tab.waitForFunction(() => window.insideme.lanes?.marks);
	const told = await tab.evaluate(() => [...window.insideme.lanes.marks.rows.values()].flat().map((mark) => mark.lines.flat().join(" ")).join(" "));
	for (const what of ["mark", "thrown", "fail"])
		check(`${what} is told in ${told}`, told.includes(`document.title='${what}'`));
	await tab.locator(".timeline-key b", { hasText: "<img src=x onerror=document" }).waitFor();		// names of counters are cut
	const box = await tab.locator(".lanes").boundingBox();
	for (let x = box.x + 180; x < box.x + box.width; x += 12)
		await tab.mouse.move(x, box.y + 35);
	same("elements made in the timeline", await made(), 0);
	check("no script ran", !/^(source|thrown|field|mark|counter|fail|region)$/.test(await tab.title()));
	same("complaints", tab.complaints, []);
});

test("the page's policy lets nothing else run", async () => {
	const tab = await open(join(folder, "hostile.html"));
	await tab.evaluate(() => {
		const script = document.createElement("script");
		script.textContent = "window.ran = true";
		document.body.append(script);
		document.body.insertAdjacentHTML("beforeend", "<img src='data:,' onerror='window.ran = true'>");
	});
	await tab.waitForTimeout(100);
	same("it ran", await tab.evaluate(() => window.ran ?? false), false);
	check("the browser said so", tab.complaints.some((text) => text.includes("Content Security Policy")));
});

test("runs without calls, without single calls, with one sample, without symbols", async () => {
	const stripped = join(folder, "stripped");
	spawnSync("strip", ["-o", stripped, join(build, "test/bin/calls")]);
	const runs = {
		none: record("none", "/bin/true"),
		counted: record("counted", "calls", [], { INSIDEME_TIMING: "counts" }),
		no_singles: record("no_singles", "calls", [], { INSIDEME_THRESHOLD: "1000s", INSIDEME_HEAP: "off" }),
		few_samples: record("few_samples", "calls", [], { INSIDEME_INTERVAL: "10s" }),
		stripped: record("stripped_run", stripped),
		several: [record("several-1", "calls"), record("several-2", "calls")],
	};
	for (const [name, run] of Object.entries(runs))
		leave(await lookAtAll(makePage(run, `${name}.html`)));
	for (const [before, after] of [["none", "counted"], ["stripped", "several"]])
		leave(await lookAtAll(makePage(runs[after], `${before}-${after}.html`, "--diff", [runs[before]].flat()[0])));
});

test("100,000 functions: the table stays a table", async () => {
	const path = join(folder, "many.c"), program = join(folder, "many");
	const nr = 100000;
	// one function in as many places: the recorder is told of each by its own hook
	writeFileSync(path, "extern void __cyg_profile_func_enter(void *, void *), __cyg_profile_func_exit(void *, void *);\n" +
		"static char code[1 << 21];\nint main(void)\n{\n" +
		`	for (long i = 1; i <= ${nr}; i++) {\n		__cyg_profile_func_enter(code + 16 * i, 0);\n		__cyg_profile_func_exit(code + 16 * i, 0);\n	}\n	return 0;\n}\n`);
	same("gcc", spawnSync("gcc", ["-O1", "-finstrument-functions", path, "-o", program]).status, 0);
	const run = record("many_run", program);
	const tab = await open(makePage(run, "many.html"), { hash: "panel=functions" });
	await tab.locator("[role=table][aria-label=functions] .tbody .tr").first().waitFor();
	const { rows, elements } = await tab.evaluate(() => ({ rows: window.insideme.model.nrFunctions, elements: document.querySelectorAll(".tbody .tr").length }));
	check(`${rows} functions`, rows >= nr);
	const calls = await tab.evaluate(() => window.insideme.model.functions.numbers("calls").reduce((sum, one) => sum + one, 0));
	same("calls of all of them", calls, csv(run, "functions").reduce((sum, row) => sum + Number(row.calls), 0));
	check(`${elements} of them are elements`, elements < 100);
	same("complaints", tab.complaints, []);
});

test("output that cannot be written: a message, status 1, and nothing left behind", async () => {
	const run = record("unwritable", "calls");
	const none = report("-f", "html", "-o", join(folder, "no/such/folder/page.html"), run);
	same("status", none.status, 1);
	check(none.stderr, /cannot write .*page\.html: No such file or directory/.test(none.stderr));
	mkdirSync(join(folder, "full"));
	const full = spawnSync("sh", ["-c", `ulimit -f 8; trap '' XFSZ; exec "$0" -f html -o "$1" "$2"`, join(build, "sanitized/insideme-report"), join(folder, "full/page.html"), run], { encoding: "utf8" });
	same("status of a full disk", full.status, 1);
	check(full.stderr, /cannot write .*page\.html/.test(full.stderr));
	same("left behind", readdirSync(join(folder, "full")), []);
	check("the csv is as ever", csv(run, "functions").length > 3);
});

test("--max-size: the page keeps to it, says what is merged, and its sums are those of all calls", async () => {
	const run = record("limited", "calls", [], { INSIDEME_THRESHOLD: "0" });
	const expected = csv(run, "calls").map((row) => Number(row.duration_ns));
	const small = join(folder, "small.html"), large = makePage(run, "large.html");
	const most = statSync(large).size - 6000;
	same("status", report("-f", "html", "--max-size", String(most), "-o", small, run).status, 0);
	check(`${statSync(small).size} bytes, at most ${most}`, statSync(small).size <= most);
	for (const path of [small, large]) {
		const tab = await open(path, { hash: "panel=timeline" });
		await tab.waitForFunction(() => window.insideme.lanes);
		const { calls, time, merged, note } = await tab.evaluate(() => {
			const { spans } = window.insideme.lanes;
			const sum = (values) => values.reduce((all, value) => all + value, 0);
			return { calls: spans.others.length + sum(spans.others), time: sum(spans.duration) - sum(spans.idle), merged: spans.about.merged_calls, note: document.querySelector(".timeline .note:not(.timeline-states)").textContent };
		});
		same("calls", calls, expected.length);
		same("time", time, expected.reduce((all, value) => all + value, 0));
		same("the page says that calls are merged", note.includes("are merged"), path === small);
		same("and some are", merged > 0, path === small);
	}
	const most_merged = report("-f", "html", "--max-size", "1k", "-o", small, run);
	same("status where functions alone are more", most_merged.status, 0);
	check(most_merged.stderr, /warning: the page has .* KiB, more than --max-size 1.00 KiB: only calls over time are merged/.test(most_merged.stderr));
	same("status of a wrong size", report("-f", "html", "--max-size", "20X", run).status, 2);
});

test("-o DIRECTORY/: page, csv of each view, logs copied or moved", async () => {
	const run = record("to_move", "calls");
	const logs = readdirSync(run).filter((name) => name.endsWith(".log"));
	for (const option of ["--copy", "--move"]) {
		const out = join(folder, `folder${option}`);
		const { status, stderr } = report(option, "-o", `${out}/`, run);
		same(`status of ${option}`, status, 0);
		const files = readdirSync(out).filter((name) => name.endsWith(".csv")).map((name) => [name, statSync(join(out, name)).size]).sort((a, b) => b[1] - a[1]);
		check(`it says that ${files[0]} is the largest: ${stderr}`, stderr.includes(`csv of each view (the largest, ${files[0][0]}: `));
		const names = readdirSync(out);
		for (const name of ["insideme.html", "functions.csv", "calls.csv", "quality.csv", "resources.svg", "resources.png", ...logs])
			check(`${name} is among ${names}`, names.includes(name));
		same("logs that stay", readdirSync(run).filter((name) => name.endsWith(".log")).length, option === "--move" ? 0 : logs.length);
		same("functions of the copy", csv(out, "functions").map((row) => row.function).sort(), ["even", "fib", "leaf", "main", "middle", "odd", "outer"]);
	}
	same("--copy without a folder", report("--copy", run).status, 2);
});

await runTests();
