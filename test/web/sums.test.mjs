// SPDX-License-Identifier: GPL-3.0-or-later
// What processes use, of several together: the page's curves and figures beside the kernel's accounts and the samples.
import { build, check, csv, makePage, open, record, report, runTests, same, test } from "./lib.mjs";

const card = (tab, title) => tab.locator(".card", { hasText: title }).locator(".card-value").innerText();

// Many have one reading or two that are close to each other.
test("CPU time of short processes is in the curve and in the summary", async () => {
	const run = record("short", "/bin/sh", ["-c", `for i in $(seq 40); do ${build}/test/bin/burn 8 0; done`]);
	const used = csv(run, "processes").reduce((sum, row) => sum + Number(row.cpu_ns || 0), 0);
	const tab = await open(makePage(run, "short.html"));
	await tab.locator(".card").first().waitFor();
	const curve = await tab.evaluate(() => {
		const { series, model } = window.insideme, { x, y } = series.total("process", "cpu_ns", 0, model.end, 600);
		return { end: model.end, sum: y.reduce((sum, value, i) => sum + value * (x[i] - (i ? x[i - 1] : 0)), 0) };
	});
	check(`${used} ns in all`, used > 300e6);
	check(`in the curve ${curve.sum} of ${used} ns`, Math.abs(curve.sum - used) < used * 0.4);	// what was used before the recorder is there is above what a thread can
	const shown = await card(tab, "CPU");
	check(`in the summary ${shown}, expected ${used / curve.end}`, Math.abs(parseFloat(shown) - used / curve.end) < 0.011);
	same("complaints", tab.complaints, []);
});

// Of a process that does nothing there are few readings: the last one holds until the next.
test("memory of several processes is the same in a chosen time as in the whole", async () => {
	const run = record("held", "/bin/sh", ["-c", "for i in 1 2 3; do sleep 1.6 & done; wait"]);
	const last = new Map(), time = 1.2e9;
	for (const row of csv(run, "resources"))
		if (row.set === "process" && row.rss_bytes !== "" && Number(row.time_ns) <= time)
			last.set(row.pid, Number(row.rss_bytes));
	const expected = [...last.values()].reduce((sum, bytes) => sum + bytes, 0);
	const tab = await open(makePage(run, "held.html"), { hash: `panel=summary&t=${time}-${time + 10e6}` });
	await tab.locator(".card").first().waitFor();
	const shown = await tab.evaluate(() => {
		const { series, from, to } = window.insideme;
		return [...series.total("process", "rss_bytes", from, to, 100).y];
	});
	check(`${last.size} processes`, last.size === 4);
	check(`from ${Math.min(...shown)} to ${Math.max(...shown)}, expected ${expected}`, shown.every((bytes) => Math.abs(bytes - expected) < expected / 20));
	same("complaints", tab.complaints, []);
});

// Memory that is held between two samples: the kernel knows its peak.
test("the summary's peak of memory is the kernel's; in a chosen time it is a sample and says so", async () => {
	const run = record("grown", "grow", [], { INSIDEME_INTERVAL: "1s" });
	const [{ peak_rss_bytes: peak }] = csv(run, "processes"), [{ end_ns: end }] = csv(run, "processes");
	const tab = await open(makePage(run, "grown.html"));
	await tab.locator(".card").first().waitFor();
	const shown = await card(tab, "Memory");
	check(`${shown}, expected ${peak / 2 ** 20} MiB`, peak > 64 * 2 ** 20 && / MiB$/.test(shown) && Math.abs(parseFloat(shown) - peak / 2 ** 20) < 0.5);
	await tab.evaluate((to) => { location.hash = `panel=summary&t=0-${to - 1}`; }, end);
	await tab.locator(".card", { hasText: "Chosen time" }).waitFor();
	const text = await tab.locator(".card", { hasText: "Memory" }).innerText();
	check(text, /largest sample, at/.test(text) && !/peak/.test(text));
	same("complaints", tab.complaints, []);
});

test("the summary's peak of the heap is that of the text", async () => {
	let run, peak, largest;
	for (let turn = 0; turn < 10; turn++) {	// a sample may meet the peak
		run = record(`together.${turn}`, "together", [], { INSIDEME_INTERVAL: "1s" });
		[, peak] = report("-v", "summary", run).stdout.match(/^ +heap +\S+ \S+ +(\S+ \S+)/m);
		largest = Math.max(...csv(run, "resources").map((row) => Number(row.heap_bytes || 0)));
		if (largest < 0.9 * 1024 * parseFloat(peak))
			break;
	}
	check(`peak ${peak}, largest sample ${largest} bytes`, largest < 0.9 * 1024 * parseFloat(peak));
	const tab = await open(makePage(run, "together.html"));
	await tab.locator(".card").first().waitFor();
	same("peak", await card(tab, "Heap"), peak);
	same("complaints", tab.complaints, []);
});

// Of some counted functions no time is known: what is in no row is part of the whole. Without rows of resources
// the page is by self time, however busy the machine is.
test("shares in the summary are of the time in all functions", async () => {
	const run = record("counted", "counted", [], { INSIDEME_INTERVAL: "0" });
	const [, all] = report("-v", "summary", run).stdout.match(/^Time +(.*) in functions/m);
	const tab = await open(makePage(run, "counted.html"));
	await tab.locator(".h2-note", { hasText: "self time" }).waitFor();
	same("whole", await tab.locator(".h2-note", { hasText: "self time" }).innerText(), `${all} of self time, over all threads`);
	same("complaints", tab.complaints, []);
});

await runTests();
