/** What a configuration names is a link; from a call one goes to the tool, from an argument to its schema. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { createAt, open, overwrite, until, uriOf } = require("../tools.cjs");

module.exports = async () => {
  overwrite("debug/callwright.toml", 'tools = ["tools/debug.json"]\ndialect = "xml-json"\n');
  const { document } = await open("debug/callwright.toml");
  const [link] = await until("the link", async () => {
    /** @type {import("vscode").DocumentLink[] | undefined} */
    const given = await vscode.commands.executeCommand("vscode.executeLinkProvider", document.uri);
    return given?.length ? given : undefined;
  });
  assert.equal(link?.target?.fsPath, uriOf("debug/tools/debug.json").fsPath);
  assert.equal(document.getText(link.range), "tools/debug.json");

  const { editor, position } = await createAt("debug/linked.prompt", '<debug_launch>{"program": "a.py", "mo‸de": "pytest"}</debug_launch>\n');
  for (const command of ["vscode.executeDefinitionProvider", "vscode.executeTypeDefinitionProvider"]) {
    const [defined] = await until(command, async () => {
      /** @type {(import("vscode").Location & import("vscode").LocationLink)[]} */
      const given = await vscode.commands.executeCommand(command, editor.document.uri, position);
      return given.length > 0 ? given : undefined;
    });
    assert.ok(defined);
    const uri = defined.targetUri ?? defined.uri;
    const range = defined.targetSelectionRange ?? defined.targetRange ?? defined.range;
    assert.equal(uri.fsPath, uriOf("debug/tools/debug.json").fsPath);
    const file = await vscode.workspace.openTextDocument(uri);
    assert.match(file.getText(new vscode.Range(range.start.line, 0, range.end.line + 1, 0)), /"mode"/);
  }
};
