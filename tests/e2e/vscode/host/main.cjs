/**
 * Runs every file in `cases/`, one after another, inside the extension host, and writes what each found.
 *
 * A case exports a function that is given the tools of `tools.cjs` and throws where something is not as it should be.
 */

const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const { closeAll, restore, root } = require("./tools.cjs");

exports.run = async function run() {
  const { results: file } = JSON.parse(readFileSync(path.join(root(), ".e2e.json"), "utf8"));
  /** @type {Record<string, string | null>} */
  const results = {};
  const folder = path.join(__dirname, "cases");
  for (const name of readdirSync(folder).sort()) {
    const started = Date.now();
    try {
      await require(path.join(folder, name))();
      results[path.parse(name).name] = null;
    } catch (error) {
      results[path.parse(name).name] = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    console.log(`${results[path.parse(name).name] === null ? "ok" : "FAILED"} ${name} ${Date.now() - started} ms`);
    await closeAll();
    restore();
    writeFileSync(file, JSON.stringify(results, null, 2));
  }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
};
