// SPDX-License-Identifier: GPL-3.0-or-later
// How the page says it: headings, units, last words.
import { format } from "../../analyzer/web/base/units.js";
import { makePage, open, record, runTests, same, test } from "./lib.mjs";

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

test("one core is one", async () => {
	same("cores", [0, 1, 2, 0.5].map((value) => format("cores", value)), ["0 cores", "1 core", "2 cores", "0.50 cores"]);
});

await runTests();
