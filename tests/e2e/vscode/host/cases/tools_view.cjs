/** The tools view lists sources, tools and parameters, and follows the tool files. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, open, overwrite, restore, until } = require("../tools.cjs");
const { readFileSync, readdirSync } = require("node:fs");
const path = require("node:path");

module.exports = async () => {
  const api = await callwright();
  await open("debug/agent.prompt");
  const outline = await until(
    "the tools",
    async () => {
      const lines = await api.toolsOutline();
      return lines.some((/** @type {string} */ line) => /debug_launch/.test(line)) ? lines : undefined;
    },
    () => api.toolsOutline(),
  );
  const text = outline.join("\n");
  assert.match(text, /^ *debug_launch/m);
  assert.match(text, /^ *program · .*required/m);

  const folder = path.join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", "debug", "tools");
  const name = readdirSync(folder)[0] ?? "";
  overwrite(`debug/tools/${name}`, readFileSync(path.join(folder, name), "utf8").replaceAll("debug_launch", "debug_begin"));
  try {
    await until(
      "the renamed tool",
      async () => ((await api.toolsOutline()).some((/** @type {string} */ line) => /debug_begin/.test(line)) ? true : undefined),
      () => api.toolsOutline(),
    );
  } finally {
    restore();
  }
  await until("the tool as it was", async () =>
    (await api.toolsOutline()).some((/** @type {string} */ line) => /debug_launch/.test(line)) ? true : undefined,
  );
};
