// SPDX-License-Identifier: GPL-3.0-or-later
// insideme-report --serve: only for who has the address, made anew while the run goes on, gone with a signal.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { build, check, folder, open, runTests, same, test } from "./lib.mjs";

const env = { ...process.env, ASAN_OPTIONS: "detect_leaks=0" };
const source = join(folder, "steps.c"), program = join(folder, "steps");

// Calls step() each time that it reads a byte.
writeFileSync(source, "#include <unistd.h>\nvoid step(void) { }\nint main(void)\n{\n\tchar c;\n\n\twhile (read(0, &c, 1) == 1) {\n\t\tstep();\n\t\twrite(1, &c, 1);\n\t}\n\treturn 0;\n}\n");
spawnSync("gcc", ["-O1", "-finstrument-functions", source, "-o", program]);

const ask = (url, headers = {}) => new Promise((done, failed) => {
	request(url, { headers }, (answer) => {
		answer.resume();
		answer.on("end", () => done(answer.statusCode));
	}).on("error", failed).end();
});

test("the page follows a run that goes on; others get nothing; a signal ends it", async () => {
	const run = join(folder, "going");
	const steps = spawn(join(build, "insideme-run"), ["--run", run, "-q", "--", program], { env, stdio: ["pipe", "pipe", "ignore"] });
	const step = async (nr) => {
		for (let i = 0; i < nr; i++) {
			steps.stdin.write("x");
			await once(steps.stdout, "data");
		}
	};
	await step(3);
	const server = spawn(join(build, "sanitized/insideme-report"), ["--serve", run], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
	const url = String((await once(server.stdout, "data"))[0]).trim();
	check(`an address of this machine: ${url}`, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(url));
	same("without the word", await ask(url.replace(/[0-9a-f]{32}\//, "")), 404);
	same("with another one", await ask(url.replace(/.\/$/, (last) => `${last[0] === "0" ? "1" : "0"}/`)), 404);
	same("under another name", await ask(url, { host: "example.test" }), 404);

	const tab = await open("", { url });
	const calls = () => tab.evaluate(() => window.insideme.model.functions.numbers("calls")[window.insideme.model.numbersOf("step")[0]]);
	same("calls", await calls(), 3);
	await step(4);
	await tab.waitForFunction(() => window.insideme.model.functions.numbers("calls")[window.insideme.model.numbersOf("step")[0]] === 7);
	same("it goes on", await tab.evaluate(() => window.insideme.model.about.is_running), true);
	steps.stdin.end();
	await once(steps, "exit");
	await tab.waitForFunction(() => !window.insideme.model.about.is_running);
	same("complaints", tab.complaints, []);
	server.kill("SIGTERM");
	same("status", (await once(server, "exit"))[0], 0);
});

await runTests();
