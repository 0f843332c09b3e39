/** What is wrong in a tool file is shown there as one types, and mended there; calls follow once it is saved. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { apply, clean, create, diagnostic, open, overwrite, until, uriOf } = require("../tools.cjs");

const TOOLS = "report/tools.json";

module.exports = async () => {
  const editor = await open(TOOLS);
  const { document } = editor;
  await clean(document);
  const before = document.getText();
  // As typed: nothing is saved yet.
  const at = document.positionAt(before.indexOf('"required": ["content"]') + '"required": ["'.length);
  assert.ok(await editor.edit((builder) => builder.replace(new vscode.Range(at, at.translate(0, "content".length)), "contnt")));
  const { text, diagnostic: given } = await diagnostic(document, /`contnt`/);
  assert.match(text, /contnt/);
  await apply(document, given.range, /content/, "quickfix");
  assert.equal(document.getText(), before);
  await clean(document);
  // As saved: the editor takes over what another program writes only where nothing is unsaved.
  assert.ok(await document.save());
  await until("the saved document", () => (document.isDirty ? undefined : true));

  overwrite(TOOLS, before.replace('"path": {', '"folder": {'));
  await until("the changed file", () => (document.getText().includes('"folder"') ? true : undefined));
  const call = "<tool_call>\n  <tool_name>append_to_report</tool_name>\n  <arguments>\n    <content>a</content>\n    <path>b</path>\n  </arguments>\n</tool_call>\n";
  const prompt = await create("report/after.prompt", call);
  await diagnostic(prompt.document, /no parameter `path`/);
  overwrite(TOOLS, before);
  await clean(prompt.document);
  assert.equal(prompt.document.uri.fsPath, uriOf("report/after.prompt").fsPath);
};
