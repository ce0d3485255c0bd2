// SPDX-License-Identifier: GPL-3.0-or-later
// How the page says it: headings, units, last words.
import { format } from "../../analyzer/web/base/units.js";
import { check, makePage, open, record, runTests, same, test } from "./lib.mjs";

test("each table after another one has a heading", async () => {
	const tab = await open(makePage(record("thrown", "throws", ["abort"]), "thrown.html"), { hash: "panel=quality" });
	await tab.locator(".quality section").first().waitFor();
	const headings = await tab.locator(".quality section").first().locator("[role=table]").evaluateAll((tables) =>
		tables.map((table) => [table.getAttribute("aria-label"), table.closest("section > div").querySelector("h3")?.textContent]));
	same("tables", headings, [["ends", "Ends"], ["open_calls", "Open calls"], ["errors", "Errors"], ["thrown", "Thrown"]].filter(([name]) => headings.some(([found]) => found === name)));
	same("one of errors", headings.some(([name]) => name === "errors"), true);
	same("complaints", tab.complaints, []);
});

test("last words are without the padding of text", async () => {
	const tab = await open(makePage(record("crashed", "crash", ["11"]), "crashed.html"));
	const words = (await tab.locator(".notes dd").allTextContents()).filter((text) => /hold > rest/.test(text));
	same("threads that rest", words.length, 2);
	same("padded", words.filter((text) => / {2}/.test(text)), []);
	same("complaints", tab.complaints, []);
});

// A program of short calls, for which the page has flags and commands to paste.
const short = record("short", "counted", [], { INSIDEME_TIMING: "exact" });

test("flags and commands are whole, and buttons copy them", async () => {
	const tab = await open(makePage(short, "short.html"));
	await tab.locator(".notes .command-lines").first().waitFor();
	const shown = await tab.locator(".notes .command-lines").evaluateAll((list) => list.map((one) =>
		[one.firstChild.textContent, one.closest("dd").scrollHeight <= one.closest("dd").clientHeight + 1]));
	check(`commands: ${JSON.stringify(shown)}`, shown.some(([text]) => /^insideme-run --sample=250 -- .*counted\ninsideme-report/.test(text)));
	same("clipped", shown.filter(([, whole]) => !whole), []);
	await tab.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
	await tab.locator(".command-lines .copy").last().click();
	await tab.getByText("copied", { exact: true }).waitFor();
	same("copied", await tab.evaluate(() => window.copied), shown.at(-1)[0]);
	same("complaints", tab.complaints, []);
});

test("no panel is wider than 1280 columns, no two columns have one title, no separator is left over", async () => {
	const tab = await open(makePage(short, "wide.html"));
	for (const panel of await tab.evaluate(() => [...document.querySelectorAll("[role=tab]")].map((one) => one.id.replace("tab-", "")))) {
		await tab.evaluate((name) => { location.hash = `panel=${name}`; }, panel);
		await tab.waitForFunction((name) => document.querySelector("main").dataset.panel === name, panel);
		if (panel === "functions")
			await tab.locator("input[type=checkbox]").check();
		const found = await tab.evaluate(() => ({ width: document.documentElement.scrollWidth, main: document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth,
			titles: [...document.querySelectorAll(".tr.head")].map((head) => [...head.children].map((one) => one.textContent)),
			lonely: [...document.querySelectorAll("main *")].filter((one) => !one.childElementCount && /^ ?·|·\s*$|· +·/.test(one.textContent)).map((one) => one.textContent) }));
		check(`${panel}: ${found.width}, ${found.main}`, found.width <= 1280 && found.main <= 0);
		for (const titles of found.titles)
			same(`titles of ${panel}`, titles.filter((title, i) => titles.indexOf(title) !== i), []);
		same(`separators of ${panel}`, found.lonely, []);
	}
	same("complaints", tab.complaints, []);
});

test("the plot shows the value at the cursor", async () => {
	const tab = await open(makePage(record("busy", "burn", ["300", "100"], { INSIDEME_INTERVAL: "10ms" }), "busy.html"), { hash: "panel=plot" });
	const box = await tab.locator(".plot .u-over").boundingBox();
	await tab.mouse.move(box.x + box.width / 2, box.y + 40);
	await tab.waitForFunction(() => /\d (KiB|MiB)$/.test(document.querySelector(".plot .now").textContent));
	same("complaints", tab.complaints, []);
});

test("one core is one", async () => {
	same("cores", [0, 1, 2, 0.5].map((value) => format("cores", value)), ["0 cores", "1 core", "2 cores", "0.50 cores"]);
});

await runTests();
