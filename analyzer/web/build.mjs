// SPDX-License-Identifier: GPL-3.0-or-later
// Make the page one file: node build.mjs OUTPUT. The page names its only script and style by their hash, so
// that a browser runs nothing else, whatever a log contains. insideme-report puts the data at <!--data-->, and
// the text that is shown before the script has drawn, and without it, at <!--text-->.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const result = await build({
	entryPoints: [here("main.js")],
	bundle: true, minify: true, write: false, outdir: "out", format: "iife", target: "es2022",
		charset: "utf8",
	legalComments: "inline",
});
const bundle = (extension) => result.outputFiles.find((file) => file.path.endsWith(extension)).text;
const script = bundle(".js").replaceAll("</script", "<\\/script");
const style = bundle(".css");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; ` +
	"connect-src 'self'; base-uri 'none'; form-action 'none'";
writeFileSync(process.argv[2], `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>InsideMe</title>
<style>${style}</style>
</head>
<body>
<noscript>This page is drawn by its script: allow it to run. Its first page as text:</noscript>
<div id="app"><pre class="first"><!--text--></pre></div>
<!--data-->
<script>${script}</script>
</body>
</html>
`);
