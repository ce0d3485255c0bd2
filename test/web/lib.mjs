// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the page share: runs in a folder of their own, the csv of the same run, a browser. Speaks TAP.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const build = process.env.TEST_BUILD;
export const folder = mkdtempSync(join(tmpdir(), "insideme-page-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const env = { ...process.env, ASAN_OPTIONS: "detect_leaks=0" };
const bin = (program) => program.startsWith("/") ? program : join(build, "test/bin", program);

// Run one of our test programs under insideme-run. Return: the run's path
export function record(name, program, args = [], settings = {}) {
	const run = join(folder, name);
	spawnSync(join(build, "insideme-run"), ["--run", run, "-q", "--", bin(program), ...args], { cwd: folder, env: { ...env, ...settings }, stdio: "ignore" });
	return run;
}

export function report(...args) {
	return spawnSync(join(build, "sanitized/insideme-report"), args, { cwd: folder, env, encoding: "utf8" });
}

// Rows of a view's csv as objects; numbers stay texts.
export function csv(run, view, ...args) {
	const text = execFileSync(join(build, "sanitized/insideme-report"), ["-v", view, "-f", "csv", ...args, run],
		{ cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });
	const [names, ...rows] = parseCsv(text);
	return rows.map((row) => Object.fromEntries(row.map((value, i) => [names[i], value])));
}

function parseCsv(text) {
	const rows = [[]];
	for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
		rows.at(-1).push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain);
		if (end !== ",")
			rows.push([]);
	}
	return rows.filter((row) => row.length > 1 || row[0]);
}

export function makePage(run, name = "page.html", ...options) {
	const path = join(folder, name);
	const { status, stderr } = report("-f", "html", "-o", path, ...options, ...[run].flat());
	if (status !== 0)
		throw new Error(`insideme-report: status ${status}: ${stderr}`);
	return path;
}

let browser;
const used = [], free = [];	// tabs: those of tests that are over show the next pages, as a new one takes twice the time
// Its page is not looked at any more.
export function leave(tab) {
	free.push(...used.splice(used.indexOf(tab), 1));
}

async function emptyTab() {
	browser ??= await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
	const page = free.pop() ?? await browser.newPage();
	used.push(page);
	for (const event of ["pageerror", "console", "request"])
		page.removeAllListeners(event);
	await page.mouse.move(0, 0);
	await page.goto("about:blank");
	return page;
}

// Another tool's page, which is a file.
export async function openTool(path) {
	const page = await emptyTab();
	page.complaints = [];
	page.on("pageerror", (error) => page.complaints.push(String(error)));
	await page.goto(`file://${path}`);
	return page;
}

// A page in the browser; what it complains of is a failure of the test.
export async function open(path, { hash = "", url = `file://${path}${hash ? `#${hash}` : ""}`, scheme = "light", width = 1280, height = 800 } = {}) {
	const page = await emptyTab();
	await page.setViewportSize({ width, height });
	await page.emulateMedia({ colorScheme: scheme });
	page.complaints = [];
	page.on("pageerror", (error) => page.complaints.push(String(error)));
	page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
	page.on("request", (request) => (request.url().startsWith("file:") ? url.startsWith("file:") : request.url() === url || request.url().startsWith("data:")) || page.complaints.push(`asked for ${request.url()}`));
	await page.goto(url);
	await page.waitForSelector("main > *");
	return page;
}

const tests = [];
export const test = (name, run) => tests.push([name, run]);

export function same(what, found, expected) {
	if (JSON.stringify(found) !== JSON.stringify(expected))
		throw new Error(`${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
}

export function check(what, holds) {
	if (!holds)
		throw new Error(what);
}

export async function runTests() {
	let failed = false;
	console.log(`1..${tests.length}`);
	for (const [i, [name, run]] of tests.entries()) {
		const error = await run().then(() => null, (reason) => reason);
		used.slice().forEach(leave);
		console.log(`${error ? "not ok" : "ok"} ${i + 1} - ${name}`);
		if (error) {
			failed = true;
			console.log(String(error.stack ?? error).replace(/^/gm, "# "));
		}
	}
	await browser?.close();
	process.exitCode = failed ? 1 : 0;
}

// The number of a formatted cell's title: all its digits.
export const digits = (text) => text.replace(/[^0-9.−-]/g, "").replace("−", "-");
export { readFileSync };
