// SPDX-License-Identifier: GPL-3.0-or-later
// What threads did over time: running, ready, blocked; in the timeline, the flame graph and the first page.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, check, csv, folder, makePage, open, record, runTests, same, test } from "./lib.mjs";

// uses.c naps for 200 ms, then burns as much CPU time
const often = { INSIDEME_INTERVAL: "5ms" };
const run = record("uses", "uses", ["sleeps", "200"], often), page = makePage(run, "uses.html");

const spanOf = (tab, name) => tab.evaluate((wanted) => {
	const { lanes, model } = window.insideme, { spans, states } = lanes;
	const span = [...spans.start.keys()].find((one) => model.label(spans.func(one)) === wanted);
	return { mean: states.mean(0, spans.start[span], spans.start[span] + spans.duration[span]), span };
}, name);

test("the timeline shows when a thread ran and when it was blocked", async () => {
	const tab = await open(page, { hash: "panel=timeline" });
	await tab.waitForFunction(() => window.insideme?.lanes?.states);
	const { mean: nap } = await spanOf(tab, "nap"), { mean: work } = await spanOf(tab, "work");
	check(`nap does not run: ${JSON.stringify(nap)}`, nap.cpu < 5 && nap.blocked + nap.ready > 95);
	check(`work is not blocked: ${JSON.stringify(work)}`, work.cpu + work.ready > 90);
	const legend = await tab.locator(".timeline-states").innerText();
	check(`legend: ${legend}`, /running\s*ready\s*blocked/.test(legend));
	const bits = await tab.evaluate(() => {
		const { lanes } = window.insideme, row = lanes.rows.find((one) => one.kind === "thread");
		return [...new Set(Array.from({ length: lanes.pixels.width - 400 },
			(_, x) => lanes.pixels.bits[Math.round((row.y + 2) * devicePixelRatio) * lanes.pixels.width + 200 + x]))].length;
	});
	check(`shades: ${bits}`, bits >= 2);
	same("complaints", tab.complaints, []);
});

test("the flame graph of time on a processor and blocked time adds up to that of the functions", async () => {
	const tab = await open(page, { hash: "panel=flame" });
	const functions = csv(run, "functions", "--columns", "function,self_cpu_ns,self_blocked_ns");
	for (const [title, column] of [["On CPU", "self_cpu_ns"], ["Blocked", "self_blocked_ns"]]) {
		await tab.getByText(title, { exact: true }).click();
		const sum = functions.reduce((all, row) => all + Number(row[column]), 0);
		// the metric changes at once, its graph comes a little later
		await tab.waitForFunction(([wanted, ns]) => {
			const { metric, root } = window.insideme.panel;
			return root && metric.title === wanted && Math.abs(root.value - ns) < 100;
		}, [title, sum]);
	}
	same("complaints", tab.complaints, []);
});

test("the timeline of a program without hooks shows what its threads did", async () => {
	const plain = join(folder, "plain");
	spawnSync(join(build, "insideme-run"), ["--run", plain, "-q", "--sample=250", "--interval=5ms", "--", join(build, "test/bin/locks.plain")], { cwd: folder });
	const tab = await open(makePage(plain, "plain.html"), { hash: "panel=timeline" });
	await tab.waitForFunction(() => window.insideme?.lanes?.states);
	const text = await tab.locator(".timeline .toolbar").innerText();
	check(`note: ${text}`, /below is what threads did/.test(text));
	const rows = await tab.evaluate(() => window.insideme.lanes.rows.filter((one) => one.kind === "thread").map(({ thread }) => {
		let cpu = 0, all = 0;
		window.insideme.lanes.states.each(thread, 0, 1e12, (from, to, percent) => { cpu += (to - from) * percent / 100; all += to - from; });
		return cpu / all;
	}));
	same("threads", rows.length, 3);
	check(`they hardly run: ${rows}`, rows.every((share) => share < 0.5));
	same("complaints", tab.complaints, []);
});

test("the timeline of a sampled program has lanes of where its threads were", async () => {
	const sampled = join(folder, "sampled");
	spawnSync(join(build, "insideme-run"), ["--run", sampled, "-q", "--sample=250", "--", join(build, "test/bin/sampled.plain"), "burn"], { cwd: folder, stdio: "ignore" });
	const tab = await open(makePage(sampled, "sampled.html"), { hash: "panel=timeline" });
	await tab.waitForFunction(() => window.insideme?.lanes?.states);
	const { threads, samples, deepest } = await tab.evaluate(() => {
		const { lanes: { rows, spans }, model } = window.insideme;
		const with_lanes = rows.filter((row) => row.kind === "thread" && row.lanes.length);
		const named = (lane, name) => Array.from({ length: lane.end - lane.first }, (_, i) => lane.first + i)
			.some((span) => model.label(spans.func(span)) === name);
		return { threads: with_lanes.length, samples: spans.about.samples,
			deepest: with_lanes.every(({ lanes }) => lanes.some((lane) => lane && named(lane, "use"))) };
	});
	same("threads with lanes", threads, 4);
	const sum = csv(sampled, "functions").reduce((all, row) => all + Number(row.samples), 0);
	check(`samples: ${samples} of ${sum}`, samples >= sum && sum > 50);
	check("each was in use()", deepest);
	same("complaints", tab.complaints, []);
});

await runTests();
