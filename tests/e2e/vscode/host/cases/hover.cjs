/** Hovering tells what a tool and a parameter are for. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, create, until } = require("../tools.cjs");

/** @param {import("vscode").TextDocument} document @param {string} word */
async function hover(document, word) {
  const position = document.positionAt(document.getText().indexOf(word) + 2);
  /** @type {import("vscode").Hover[]} */
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, position);
  return hovers.flatMap(({ contents }) => contents.map((content) => (typeof content === "string" ? content : content.value))).join("\n");
}

module.exports = async () => {
  await callwright();
  const { document } = await create("debug/hover.prompt", 'Go: <debug_launch>{"program": "a.py", "mode": "pytest"}</debug_launch>\n');
  const tool = await until("the hover of a tool", async () => (await hover(document, "debug_launch")) || undefined);
  assert.match(tool, /debug_launch|debug\\_launch/);
  assert.match(tool, /Starts a program under the debugger/);
  const parameter = await hover(document, "mode");
  assert.match(parameter, /How the program is started/);
  assert.match(parameter, /pytest/);
  assert.equal(await hover(document, "Go:"), "");
};
