/** Formatting lays calls out anew, and leaves prose and values as they are. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { create, until } = require("../tools.cjs");

module.exports = async () => {
  const text = 'Some   prose 🐞  here.\n\n<debug_launch>{"program"  :"a  b.py",\n"mode":   "pytest"}</debug_launch>\n';
  const { document } = await create("debug/layout.prompt", text);
  const edits = await until("the edits", async () => {
    /** @type {import("vscode").TextEdit[] | undefined} */
    const given = await vscode.commands.executeCommand("vscode.executeFormatDocumentProvider", document.uri, { tabSize: 2, insertSpaces: true });
    return given?.length ? given : undefined;
  });
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.equal(document.getText(), text.replace(/\{[^]*\}/, '{\n  "program": "a  b.py",\n  "mode": "pytest"\n}'));
};
