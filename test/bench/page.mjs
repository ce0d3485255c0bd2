// SPDX-License-Identifier: GPL-3.0-or-later
// How fast a page is in a browser: page.mjs PAGE. Prints ms to the first paint, ms until the calls are drawn, frames a second while
// zooming in and out by the wheel and moving, and the longest frame of the slowest twentieth in ms.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../web/package.json", import.meta.url))("playwright-core");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(`file://${process.argv[2]}#panel=timeline`);
await page.waitForFunction(() => window.insideme?.lanes);
const figures = await page.evaluate(async () => {
	const ready = performance.now();
	const { lanes } = window.insideme, app = window.insideme;
	const box = lanes.element.getBoundingClientRect();
	const frame = () => new Promise((done) => requestAnimationFrame(done));
	const wheel = (deltaY) => lanes.element.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: box.left + 700, clientY: box.top + 100, cancelable: true, bubbles: true }));
	const times = [];
	const begin = await frame();
	let before = begin;
	for (let i = 0; i < 300; i++) {
		const step = i % 100;
		if (step < 80)
			wheel(step < 40 ? -50 : 50);
		else
			app.setTime(app.from + (app.to - app.from) * 0.05, app.to + (app.to - app.from) * 0.05);
		const now = await frame();
		times.push(now - before);
		before = now;
	}
	times.sort((a, b) => a - b);
	return [performance.getEntriesByName("first-contentful-paint")[0].startTime, ready, 1000 * times.length / (before - begin), times[Math.floor(times.length * 0.95)]];
});
console.log(figures.map((figure) => figure.toFixed(1)).join(" "));
await browser.close();
