// SPDX-License-Identifier: GPL-3.0-or-later
// Both colour schemes, and all of it by keys alone.
import { check, makePage, open, record, runTests, same, test } from "./lib.mjs";

const page = makePage(record("calls", "calls", [], { INSIDEME_THRESHOLD: "0" }));

// How light a colour is: 0 to 1.
const lightness = ([r, g, b]) => (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;

test("both colour schemes: as the system says, each readable; a key changes over", async () => {
	for (const scheme of ["light", "dark"]) {
		const tab = await open(page, { scheme });
		const colours = () => tab.evaluate(() => ["backgroundColor", "color"].map((name) => getComputedStyle(document.body)[name].match(/\d+/g).slice(0, 3).map(Number)));
		const [back, text] = (await colours()).map(lightness);
		check(`${scheme}: text of ${text} on ${back}`, scheme === "light" ? back > 0.9 && text < 0.25 : back < 0.1 && text > 0.75);
		await tab.keyboard.press("t");
		check("changed over", (lightness((await colours())[0]) > 0.5) !== (scheme === "light"));
		same("complaints", tab.complaints, []);
	}
});

test("keys alone: panels, search, a function, a frame, a part of the time, and back", async () => {
	const tab = await open(page);
	const panel = () => tab.locator("main").getAttribute("data-panel");
	const at = (what) => tab.waitForFunction((text) => decodeURIComponent(location.hash).includes(text), what);
	const names = ["summary", "timeline", "flame", "functions", "processes", "memory", "source", "quality", "plot"];
	for (const [i, name] of names.entries()) {
		await tab.keyboard.press(String(i + 1));
		same(`panel ${i + 1}`, await panel(), name);
	}
	await tab.keyboard.press("4");
	await tab.keyboard.press("/");
	await tab.keyboard.type("lea");
	await tab.keyboard.press("Enter");
	await tab.keyboard.press("Enter");
	await at("f=leaf");
	await tab.locator(".detail h2", { hasText: "leaf" }).waitFor();
	await tab.keyboard.press("Escape");
	await tab.waitForFunction(() => !location.hash.includes("f="));

	await tab.keyboard.press("3");
	await tab.waitForFunction(() => window.insideme.panel.flame?.zoom);
	await tab.locator(".flame-scroll").focus();
	for (const key of ["ArrowDown", "ArrowDown", "Enter"])
		await tab.keyboard.press(key);
	await tab.waitForFunction(() => window.insideme.panel.flame.zoom.depth === 2);
	await tab.keyboard.press("Backspace");
	await tab.waitForFunction(() => window.insideme.panel.flame.zoom.depth === 1);

	await tab.keyboard.press("2");
	await tab.waitForFunction(() => window.insideme.lanes);
	await tab.keyboard.press("w");
	await at("t=");
	const [from, to] = await tab.evaluate(() => [window.insideme.from, window.insideme.to]);
	check("half of the time", Math.abs((to - from) / await tab.evaluate(() => window.insideme.model.end) - 0.5) < 0.01);
	await tab.keyboard.press("d");
	check("later", await tab.evaluate(() => window.insideme.from) > from);
	await tab.locator(".lanes").focus();
	for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Enter"])
		await tab.keyboard.press(key);
	await at("f=");
	check("the call's figures are shown", (await tab.locator(".tip").innerText()).length > 0 || await tab.evaluate(() => window.insideme.selected !== null));
	await tab.keyboard.press("0");
	await tab.waitForFunction(() => !location.hash.includes("t="));
	await tab.goBack();
	same("complaints", tab.complaints, []);
});

test("the wheel zooms where it is, dragging moves, a drag over a curve chooses", async () => {
	const tab = await open(page, { hash: "panel=timeline" });
	await tab.waitForFunction(() => window.insideme.lanes?.width);
	const time = () => tab.evaluate(() => [window.insideme.from, window.insideme.to]);
	const box = await tab.locator(".lanes").boundingBox();
	const under = (x) => tab.evaluate((left) => window.insideme.lanes.toTime(left), x - box.x);
	const before = await under(box.x + 600);
	await tab.mouse.move(box.x + 600, box.y + 100);
	await tab.mouse.wheel(0, -400);
	await tab.waitForFunction(() => window.insideme.from > 0);
	check("what is under the pointer stays there", Math.abs(await under(box.x + 600) - before) < (await time())[1] * 0.01);
	const zoomed = await time();
	await tab.mouse.down();
	await tab.mouse.move(box.x + 500, box.y + 100, { steps: 4 });
	await tab.mouse.up();
	check("dragged to the left: later", (await time())[0] > zoomed[0]);
	same("and as long", Math.round((await time())[1] - (await time())[0]), Math.round(zoomed[1] - zoomed[0]));
	const strip = await tab.locator(".overview").boundingBox();
	await tab.keyboard.press("0");
	await tab.mouse.move(strip.x + strip.width / 4, strip.y + 20);
	await tab.mouse.down();
	await tab.mouse.move(strip.x + strip.width / 2, strip.y + 20, { steps: 4 });
	await tab.mouse.up();
	const end = await tab.evaluate(() => window.insideme.model.end), [from, to] = await time();
	check(`a quarter: ${from / end} to ${to / end}`, Math.abs(from / end - 0.25) < 0.01 && Math.abs(to / end - 0.5) < 0.01);
	same("complaints", tab.complaints, []);
});

await runTests();
