// SPDX-License-Identifier: GPL-3.0-or-later
// Curves: what their axes show of a chosen time, and where they end.
import { check, csv, makePage, open, record, runTests, same, test } from "./lib.mjs";

const page = makePage(record("grown", "grow"));

// The timeline's plot of a title, once it shows @from.
const plotOf = async (tab, title, from) => {
	await tab.waitForFunction((wanted) => window.insideme.panel?.curves?.plots?.[0]?.plot.scales.x.min === wanted, from);
	return tab.evaluate((wanted) => {
		const { plot } = window.insideme.panel.curves.plots.find(({ one }) => one.title === wanted);
		return { max: plot.scales.y.max, nan: plot.data.some((line) => line.some((value) => Number.isNaN(value))) };
	}, title);
};

test("the axis has room for what goes through a chosen time in which there is no sample", async () => {
	const tab = await open(page, { hash: "panel=timeline" });
	const { x, y } = await tab.evaluate(() => {
		const { x, y } = window.insideme.series.exact("process", "rss_bytes");
		return { x: [...x], y: [...y] };
	});
	const rise = (i) => y[i] / y[i - 1], last = y.reduce((most, _, i) => i > 2 && rise(i) > rise(most) ? i : most, 2);
	const from = x[last - 1] + 1, to = x[last] - 1;
	await tab.evaluate((text) => { location.hash = text; }, `panel=timeline&t=${from}-${to}`);
	const { max } = await plotOf(tab, "Memory", from);
	check(`from ${y[last - 1]} to ${y[last]} bytes, the axis to ${max}`, y[last] > y[last - 1] * 1.2 && max >= y[last] && max < y[last] * 1.2);
	const rate = await tab.evaluate((time) => {
		const { x, y } = window.insideme.series.exact("process", "cpu_ns");
		return y[x.findIndex((end) => end > time)];
	}, from);
	const cpu = await plotOf(tab, "CPU", from);
	check(`${rate} cores, the axis to ${cpu.max}`, rate > 0 && cpu.max >= rate && cpu.max < rate * 1.2);
	same("complaints", tab.complaints, []);
});

test("an area ends where it is known, and does not slope to 0", async () => {
	const tab = await open(page, { hash: "panel=timeline" });
	await tab.waitForFunction(() => window.insideme.panel?.curves?.plots);
	await tab.evaluate(() => {		// as where the last sample is of a process whose memory is gone
		const { series, panel } = window.insideme, rss = series.find("process", "rss_bytes")[0];
		rss.y[rss.y.length - 1] = NaN;
		panel.curves.make();
	});
	same("what is not known is a number", (await plotOf(tab, "Memory", 0)).nan, false);
	same("complaints", tab.complaints, []);
});

test("entries and exits of calls are on the heap's curve, and named below the pointer", async () => {
	const tab = await open(page, { hash: "panel=memory" });
	await tab.locator(".curve-calls").waitFor();
	check("their key", (await tab.locator(".curve-calls").textContent()).startsWith("▲ entry and ▼ exit of the single calls that "));
	const box = await tab.locator(".memory .u-over").boundingBox();
	const told = new Set();
	for (let x = 1; x < box.width; x += 6) {
		await tab.mouse.move(box.x + x, box.y + box.height / 2);
		for (const text of (await tab.locator(".curve-call").textContent()).split("  ").filter(Boolean))
			told.add(text);
	}
	const functions = new Set(csv(record("again", "grow"), "functions").map((row) => row.function));
	check(`${told.size} names`, told.size >= 2);
	same("other than functions", [...told].filter((text) => !functions.has(text.match(/^@(.*?)( \(libc\))? \((in|out)\)$/)?.[1])), []);
	check("an entry and an exit", [...told].some((text) => text.endsWith("(in)")) && [...told].some((text) => text.endsWith("(out)")));
	same("complaints", tab.complaints, []);
});

await runTests();
