/** A tool is renamed where it is called and where it is defined, in one edit; every call of it is found before. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { createAt, open, until, uriOf } = require("../tools.cjs");

const CALL = '<debug_set_breakpoint>{"path": "a.py", "line": 3}</debug_set_breakpoint>\n';

module.exports = async () => {
  const { editor, position } = await createAt("debug/renamed.prompt", `First:\n\n${CALL.replace("debug_set", "debug‸_set")}`);
  const { document } = editor;
  const here = document.uri.toString();

  const found = await until("every call", async () => {
    /** @type {import("vscode").Location[]} */
    const given = await vscode.commands.executeCommand("vscode.executeReferenceProvider", document.uri, position);
    return given.length > 2 ? given : undefined;
  });
  const files = new Set(found.map((location) => location.uri.fsPath));
  for (const file of ["debug/renamed.prompt", "debug/agent.prompt", "debug/tools/debug.json"]) {
    assert.ok(files.has(uriOf(file).fsPath), `${file} among ${[...files].join(", ")}`);
  }

  /** @type {import("vscode").Location[]} */
  const defined = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", document.uri, position);
  assert.deepEqual(defined.map((location) => location.uri.fsPath), [uriOf("debug/tools/debug.json").fsPath]);

  /** @type {{ placeholder: string }} */
  const prepared = await vscode.commands.executeCommand("vscode.prepareRename", document.uri, position);
  assert.equal(prepared.placeholder, "debug_set_breakpoint");

  await assert.rejects(
    async () => vscode.commands.executeCommand("vscode.executeDocumentRenameProvider", document.uri, position, "debug break"),
    /is not a valid name for a tool/,
  );

  /** @type {import("vscode").WorkspaceEdit} */
  const edit = await vscode.commands.executeCommand("vscode.executeDocumentRenameProvider", document.uri, position, "debug_break");
  const changed = new Map(edit.entries().map(([uri, edits]) => [uri.toString(), edits]));
  assert.equal(changed.get(here)?.length, 2, "the opening and the closing tag");
  assert.ok(changed.has(uriOf("debug/agent.prompt").toString()));
  const only = new vscode.WorkspaceEdit();
  for (const file of ["debug/renamed.prompt", "debug/agent.prompt", "debug/tools/debug.json"]) {
    only.set(uriOf(file), changed.get(uriOf(file).toString()) ?? []);
  }
  assert.ok(await vscode.workspace.applyEdit(only));
  assert.equal(document.getText(), `First:\n\n${CALL.replaceAll("debug_set_breakpoint", "debug_break")}`);
  const tools = (await open("debug/tools/debug.json")).document;
  assert.match(tools.getText(), /"name": "debug_break"/);
  assert.doesNotMatch(tools.getText(), /debug_set_breakpoint/);
};
