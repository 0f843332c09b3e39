/** Tools are found by name over the whole workspace, where they are defined. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { open, until, uriOf } = require("../tools.cjs");

module.exports = async () => {
  await open("debug/agent.prompt");
  const found = await until("the tool", async () => {
    /** @type {import("vscode").SymbolInformation[]} */
    const given = await vscode.commands.executeCommand("vscode.executeWorkspaceSymbolProvider", "debug_launch");
    return given.find(({ name, location }) => name === "debug_launch" && location.uri.fsPath === uriOf("debug/tools/debug.json").fsPath);
  });
  const defined = await vscode.workspace.openTextDocument(found.location.uri);
  assert.match(defined.getText(found.location.range), /^\{\s*"name": "debug_launch"[^]*\}$/);
};
