// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends to whom, as a picture: its cells are the sums of the views' csv.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build, check, csv, folder, makePage, open, record, runTests, same, test } from "./lib.mjs";

const hasMpi = ["mpicc.openmpi", "mpirun.openmpi"].every((name) => existsSync(`/usr/bin/${name}`));
const ranksOf = (name, nr) => {
	same("mpicc", spawnSync("mpicc.openmpi", ["-g", "-O1", "-w",
		new URL(`../programs/mpi/${name}.c`, import.meta.url).pathname, "-o", join(folder, name)]).status, 0);
	return record(`${name}.run`, "/usr/bin/mpirun.openmpi", ["--oversubscribe", "-n", String(nr), join(folder, name)],
		{ OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1", OMPI_MCA_orte_tmpdir_base: folder });
};

// Sums of the rows that have both ranks: [row, column, value], in order.
const pairsOf = (rows, row, column, value) => {
	const sums = new Map();
	for (const one of rows.filter((each) => each[row] !== "" && each[column] !== "" && Number(each[value]) > 0))
		sums.set(`${one[row]} ${one[column]}`, (sums.get(`${one[row]} ${one[column]}`) ?? 0) + Number(one[value]));
	return [...sums].map(([key, sum]) => [...key.split(" ").map(Number), Math.round(sum)]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
};
const cellsOf = (tab) => tab.evaluate(() => {
	const { cells, nr } = window.insideme.panel.matrix;
	return Array.from(cells, (value, i) => [Math.floor(i / nr), i % nr, Math.round(value)]).filter(([, , value]) => value > 0);
});
const choose = async (tab, title) => {
	await tab.locator(".messages .group button", { hasText: title }).click();
	await tab.locator(".messages .group button[aria-pressed=true]", { hasText: title }).waitFor();
};

test(`the matrix is the csv's sums, by bytes and by messages; a cell opens its rows${hasMpi ? "" : " # SKIP needs Open MPI"}`, async () => {
	if (!hasMpi)
		return;
	const run = ranksOf("calls", 3), rows = csv(run, "messages");
	const tab = await open(makePage(run, "messages.html"), { hash: "panel=processes" });
	await tab.waitForFunction(() => window.insideme.panel?.matrix);
	same("bytes", await cellsOf(tab), pairsOf(rows, "sender", "receiver", "bytes"));
	check("rank 0 sent to rank 1", (await cellsOf(tab)).some(([row, column, value]) => row === 0 && column === 1 && value >= 48));
	await choose(tab, "Messages");
	same("messages", await cellsOf(tab), pairsOf(rows, "sender", "receiver", "messages"));
	const shown = () => tab.locator(".messages .tbody .tr").count();
	const all = await shown(), at = await tab.evaluate(() => window.insideme.panel.matrix.cell);
	await tab.locator(".matrix").click({ position: { x: 34 + 1.5 * at, y: 34 + 0.5 * at } });
	same("rows of rank 0 to rank 1", await shown(), rows.filter((row) => row.sender === "0" && row.receiver === "1").length);
	await tab.getByText("show all").click();
	same("all again", await shown(), all);
	const many = await tab.evaluate(() => {
		const Matrix = window.insideme.panel.matrix.constructor;
		const pairs = Array.from({ length: 10000 }, (_, i) => ({ row: i, column: (i + 1) % 10000, value: 3 }));
		const matrix = new Matrix({ pairs, nrRanks: 10000, unit: "count", words: {}, onOpen: null });
		return [matrix.nr, matrix.share, matrix.cells.reduce((sum, value) => sum + value, 0), matrix.nameOf(199), matrix.cells[0]];
	});
	same("10,000 ranks in lines", many, [200, 50, 30000, "9950 to 9999", 49 * 3]);
	same("complaints", tab.complaints, []);
});

test(`who waits for whom is in it too; a run without messages has none${hasMpi ? "" : " # SKIP needs Open MPI"}`, async () => {
	if (!hasMpi)
		return;
	const run = ranksOf("late", 3);
	const tab = await open(makePage(run, "late.html"), { hash: "panel=processes" });
	await tab.waitForFunction(() => window.insideme.panel?.matrix);
	await choose(tab, "Waiting");
	same("waiting", await cellsOf(tab), pairsOf(csv(run, "late"), "rank", "late_rank", "waiting_ns"));
	same("complaints", tab.complaints, []);
	const without = await open(makePage(record("plain.run", "calls"), "plain.html"), { hash: "panel=processes" });
	await without.locator("[role=table][aria-label=processes]").waitFor();
	same("matrices", await without.locator(".matrix").count(), 0);
	same("complaints", without.complaints, []);
});

await runTests();
