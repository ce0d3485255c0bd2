// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a program without hooks that insideme-run --pid --sample has looked at: time on a processor and waiting,
// beside the csv of the same run.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build, check, csv, digits, folder, makePage, open, runTests, same, test } from "./lib.mjs";

// standing.c says what its threads do. Return: why there are no samples; "": there are
async function sample(run) {
	const program = spawn(join(build, "test/bin/standing.plain"), ["stacks"], { stdio: ["pipe", "pipe", "ignore"] });
	await once(program.stdout, "data");		// "ready"
	const { stderr } = spawnSync(join(build, "insideme-run"), ["--pid", String(program.pid), "--sample=200", "--timeout=2s", "--run", run], { encoding: "utf8" });
	program.stdin.end();
	await once(program, "close");
	return stderr.match(/no stacks of process.*/)?.[0] ?? "";
}

const run = join(folder, "standing"), none = await sample(run), page = none ? null : makePage(run);
const sampled = (name, body) => test(none ? `${name} # SKIP ${none}` : name, async () => none || body());
const cells = (tab, table) => tab.locator(`[role=table][aria-label="${table}"] .tbody .tr`).evaluateAll((rows) =>
	rows.map((row) => Object.fromEntries([...row.children].map((cell) => [cell.dataset.column, cell.querySelector("span[title]")?.title || cell.title || cell.textContent]))));
const number = (text) => Number(digits(text ?? "")) || 0;

sampled("functions and threads: on a processor and waiting, as in the csv", async () => {
	const tab = await open(page, { hash: "panel=functions" });
	const shown = await cells(tab, "functions"), expected = csv(run, "functions");
	same("functions", shown.length, expected.length);
	for (const row of expected) {
		const found = shown.find((one) => one.function === row.function);
		for (const column of ["sampled_self_ns", "sampled_total_ns", "waiting_self_ns", "waiting_total_ns"])
			same(`${column} of ${row.function}`, number(found[column]), Number(row[column]));
	}
	const waits = expected.find((row) => row.function === "wait_at"), burn = expected.find((row) => row.function === "burn_at");
	check("wait_at waits and burn_at runs", Number(waits.waiting_total_ns) > 1e9 && Number(waits.sampled_total_ns) === 0 && Number(burn.sampled_total_ns) > 0);
	await tab.evaluate(() => { location.hash = "panel=functions&f=wait_at"; });
	await tab.locator(".neighbours").first().waitFor();
	const callers = await tab.locator(".neighbours").first().innerText();
	check(`waits calls wait_at: ${callers}`, /[0-9.]+ s waiting\s+waits/.test(callers));
	await tab.evaluate(() => { location.hash = "panel=processes"; });
	await tab.locator("[role=table][aria-label=threads] .tbody .tr").first().waitFor();
	const threads = await cells(tab, "threads");
	for (const row of csv(run, "threads")) {
		const found = threads.find((one) => one.thread_name === row.thread_name);
		for (const column of ["on_cpu_ns", "waiting_ns"])
			same(`${column} of ${row.thread_name}`, number(found[column]), Number(row[column]));
	}
	same("complaints", tab.complaints, []);
});

sampled("flame graph: a choice of on CPU and waiting, each path with what the csv has", async () => {
	const tab = await open(page, { hash: "panel=flame" });
	const tree = csv(run, "tree");
	for (const [title, column] of [["On CPU", "sampled_total_ns"], ["Waiting", "waiting_total_ns"]]) {
		await tab.getByText(title, { exact: true }).click();
		await tab.waitForFunction((wanted) => {
			const { metric, root, tree: paths } = window.insideme.panel;
			return root && metric.title === wanted && root.source.own === paths.numbers(metric.column);
		}, title);
		const paths = await tab.evaluate(() => {
			const { panel, model } = window.insideme, list = [], todo = [panel.root];
			while (todo.length) {
				const frame = todo.pop();
				todo.push(...frame.children());
				list.push([panel.tree.path(frame.node).map((one) => model.functions.value("function", one) ?? model.label(one)).join(";"), frame.value]);
			}
			return list;
		});
		const expected = new Map(tree.map((row) => [row.path, Number(row[column])]));
		for (const [path, value] of paths.filter(([one]) => one && expected.has(one)))
			same(`${title} of ${path}`, value, expected.get(path));
		const found = new Map(paths);
		for (const [path, value] of expected)
			check(`${title} of ${path}: ${value}`, !value || found.has(path));
	}
	same("complaints", tab.complaints, []);
});

sampled("the first page: where threads ran and where they waited", async () => {
	const tab = await open(page);
	const text = (await tab.locator("main").innerText()).replaceAll(/\s+/g, " ");
	check(text, /Where threads ran .* work .*Where threads waited .*poll/.test(text));
	await tab.evaluate(() => { location.hash = "panel=source&f=wait_at"; });
	await tab.locator("[role=table][aria-label=source] .tbody .tr").first().waitFor();
	const lines = await cells(tab, "source"), line = lines.find((one) => one.text.includes("result = poll("));
	check("the line that calls poll() waits", number(line?.line_waiting_ns) > 1e9);
	same("complaints", tab.complaints, []);
});

await runTests();
