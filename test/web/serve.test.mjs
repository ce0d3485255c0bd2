// SPDX-License-Identifier: GPL-3.0-or-later
// insideme-report --serve: only for those who have the address, made anew while the run goes on, ended by a signal.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { build, check, folder, open, record, runTests, same, test } from "./lib.mjs";

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
	await tab.evaluate(() => { location.hash = "panel=functions&sort=calls&q=st"; });
	await step(4);
	await tab.waitForFunction(() => window.insideme.model.functions.numbers("calls")[window.insideme.model.numbersOf("step")[0]] === 7);
	same("it goes on", await tab.evaluate(() => window.insideme.model.about.is_running), true);
	same("what is looked at stays", await tab.evaluate(() => [document.querySelector("main").dataset.panel, document.querySelector("input[type=search]").value]), ["functions", "st"]);
	steps.stdin.end();
	await once(steps, "exit");
	await tab.waitForFunction(() => !window.insideme.model.about.is_running);
	same("complaints", tab.complaints, []);
	server.kill("SIGTERM");
	same("status", (await once(server, "exit"))[0], 0);
});

test("who leaves while the page is sent ends nothing", async () => {
	const code = join(folder, "much.c"), much = join(folder, "much");
	writeFileSync(code, "static volatile int sum;\nvoid leaf(int i) { sum += i; }\nvoid both(int i) { leaf(i); leaf(i + 1); }\nint main(void)\n{\n\tfor (int i = 0; i < 1000000; i++)\n\t\tboth(i);\n\treturn 0;\n}\n");
	spawnSync("gcc", ["-O1", "-finstrument-functions", code, "-o", much]);
	const run = record("much.run", much, [], { INSIDEME_THRESHOLD: "0" });	// a page that no socket takes at once
	const server = spawn(join(build, "sanitized/insideme-report"), ["--serve", run], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
	const url = new URL(String((await once(server.stdout, "data"))[0]).trim());
	const bytes = await new Promise((done) => {
		const socket = connect(Number(url.port), "127.0.0.1");
		let length = 0;
		socket.on("error", () => {});
		socket.on("close", () => done(length));
		socket.once("data", (head) => {
			length = Number(String(head).match(/Content-Length: (\d+)/)?.[1]);
			socket.resetAndDestroy();
		});
		socket.end(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
	});
	check(`a page of ${bytes} bytes`, bytes > 500000);
	same("the next one gets it", await ask(url), 200);
	server.kill("SIGTERM");
	same("status", await once(server, "exit"), [0, null]);
});

await runTests();
