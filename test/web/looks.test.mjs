// SPDX-License-Identifier: GPL-3.0-or-later
// Both colour schemes, and all of it by keys alone.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, folder, makePage, open, record, runTests, same, test } from "./lib.mjs";

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

// A program whose source can be read, and that has something on the heap at its peak.
function holder() {
	const source = join(folder, "holder.c"), program = join(folder, "holder");
	writeFileSync(source, "#include <stdlib.h>\n#include <unistd.h>\nstatic void *volatile kept;\nvoid keep(void)\n{\n\tkept = malloc(100000);\n}\nint main(void)\n{\n\tkeep();\n\tusleep(100000);\n\treturn 0;\n}\n");
	same("gcc", spawnSync("gcc", ["-g", "-O1", "-finstrument-functions", source, "-o", program]).status, 0);
	return record("holder.run", program);
}

test("keys alone: source, areas and plot; the focus stays where one is", async () => {
	const tab = await open(makePage(holder(), "holder.html"), { hash: "panel=source" });
	const has = (selector) => tab.evaluate((text) => document.activeElement.matches(text), selector);
	const goTo = async (selector) => {
		await tab.locator(selector).first().waitFor();
		for (let i = 0; i < 80 && !await has(selector); i++)
			await tab.keyboard.press("Tab");
		check(`Tab leads to ${selector}`, await has(selector));
	};
	await goTo(".source-file");
	await tab.keyboard.press("Enter");
	await tab.waitForFunction(() => location.hash.includes("file="));
	check("on the file still", await has(".source-file[aria-pressed=true]"));
	await goTo("[role=table][aria-label=source]");
	await tab.keyboard.press("Home");
	for (let i = 1; i < 6; i++)	// the line in keep() that allocates
		await tab.keyboard.press("ArrowDown");
	await tab.keyboard.press("Enter");
	await tab.waitForFunction(() => location.hash.includes("f=keep") && document.querySelector("[aria-label=source] .tr.selected"));
	check("on the lines still", await has("[role=table][aria-label=source]"));

	await tab.keyboard.press("Escape");
	await tab.keyboard.press("6");
	await goTo(".treemap-box");
	check("its figures are shown", (await tab.locator(".tip").innerText()).startsWith("keep"));
	await tab.keyboard.press("Enter");
	await tab.locator(".detail h2", { hasText: "keep" }).waitFor();
	same("its panel", await tab.locator("main").getAttribute("data-panel"), "functions");

	await tab.keyboard.press("9");
	await goTo("select[aria-label=y]");
	const before = await tab.locator("select[aria-label=y]").inputValue();
	await tab.keyboard.press("ArrowDown");
	await tab.waitForFunction((y) => new URLSearchParams(location.hash.slice(1)).get("y") && document.querySelector("select[aria-label=y]").value !== y, before);
	check("on the choice still", await has("select[aria-label=y]"));
	const steps = ".plot .group .button:nth-child(2)";
	await goTo(steps);
	await tab.keyboard.press("Enter");
	await tab.waitForFunction(() => location.hash.includes("shape=steps"));
	check("on the button still", await has(`${steps}[aria-pressed=true]`));
	await goTo("input[type=number]");
	await tab.keyboard.type("2");
	await tab.keyboard.press("Enter");
	await tab.waitForFunction(() => location.hash.includes("last=2"));
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
