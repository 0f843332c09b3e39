/**
 * Runs the cases of a folder of `host/` inside the extension host of a running code-server, with the real `vscode` interface.
 *
 * Environment: PORT (of code-server), WORKSPACE (folder to open, or a `.code-workspace` file), SUITE (folder with the cases), SELECTED
 * (names of cases, between commas), RESULTS (file to write; host/main.cjs does), SCREENSHOTS (folder), CHROMIUM. Exits 0 where the cases ran, whatever they found: the results say that.
 */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { address, openBrowser, required } from "./browser.mjs";

const port = required("PORT");
const workspace = required("WORKSPACE");
const screenshots = required("SCREENSHOTS");
const host = fileURLToPath(new URL("host", import.meta.url));

// The extension host does not get this process's environment: it is told through a file in the first folder.
const first = workspace.endsWith(".code-workspace") ? path.resolve(workspace, "..", JSON.parse(readFileSync(workspace, "utf8")).folders[0].path) : workspace;
const told = { results: required("RESULTS"), suite: required("SUITE"), cases: required("SELECTED").split(",") };
writeFileSync(path.join(first, ".e2e.json"), JSON.stringify(told));

const { page, close } = await openBrowser();
/** @type {(code: number | "timeout") => void} */
let finish = () => undefined;
/** @type {Promise<number | "timeout">} */
const finished = new Promise((resolve) => {
  finish = resolve;
});
await page.exposeFunction("codeAutomationLog", (/** @type {string} */ type, /** @type {unknown[]} */ args) => {
  console.log(type, ...args);
});
await page.exposeFunction("codeAutomationExit", finish);
const timer = setTimeout(() => {
  finish("timeout");
}, 360_000);
const remote = `vscode-remote://127.0.0.1:${port}`;
await page.goto(
  address(port, workspace, [
    ["extensionDevelopmentPath", remote + host],
    ["extensionTestsPath", `${remote}${host}/main.cjs`],
    ["skipWelcome", "true"],
  ]),
);
const code = await finished;
clearTimeout(timer);
if (code !== 0) {
  await page.screenshot({ path: path.join(screenshots, "host-failed.png") });
}
await close();
console.log(`extension host ended: ${code}`);
process.exit(code === 0 ? 0 : 1);
