/** Along a call the signature of its tool is shown, with the parameter that the cursor is in. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { createAt, until } = require("../tools.cjs");

module.exports = async () => {
  const { editor, position } = await createAt("debug/signature.prompt", '🐞 <debug_launch>{"program": "a.py", "mode": "‸"}</debug_launch>\n');
  const help = await until("the signature", async () => {
    /** @type {import("vscode").SignatureHelp | undefined} */
    const given = await vscode.commands.executeCommand("vscode.executeSignatureHelpProvider", editor.document.uri, position, undefined);
    return given?.signatures.length ? given : undefined;
  });
  const [signature] = help.signatures;
  assert.ok(signature);
  assert.match(signature.label, /^debug_launch/);
  const active = signature.parameters[signature.activeParameter ?? help.activeParameter];
  assert.ok(active);
  const shown = typeof active.label === "string" ? active.label : signature.label.slice(...active.label);
  assert.match(shown, /^mode/);
};
