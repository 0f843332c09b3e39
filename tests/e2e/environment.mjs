/**
 * Makes the private environment of an unpacked extension, as the extension does, and prints its interpreter.
 *
 * usage: node environment.mjs EXTENSION PYTHON STORAGE
 */

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [extension = "", python = "", storage = ""] = process.argv.slice(2);
const client = fileURLToPath(new URL("../../client-vscode", import.meta.url));
/** @type {import("esbuild")} */
const esbuild = createRequire(path.join(client, "package.json"))("esbuild");
// As the extension itself is bundled: what it depends on asks for Node's modules by `require`.
mkdirSync(storage, { recursive: true });
const outfile = path.join(storage, "environment.cjs");
await esbuild.build({ entryPoints: [path.join(client, "src", "environment.ts")], outfile, bundle: true, platform: "node", format: "cjs" });
const { privateEnvironment } = createRequire(import.meta.url)(outfile);
const interpreter = await privateEnvironment({
  storage,
  python,
  bundle: path.join(extension, "server"),
  report: (/** @type {string} */ step) => console.error(step),
  log: (/** @type {string} */ line) => console.error(line),
  signal: new AbortController().signal,
});
console.log(interpreter);
