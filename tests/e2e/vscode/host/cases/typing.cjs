/** Diagnostics follow what is typed, character by character, with line ends and characters that other programs count differently. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, clean, create, diagnostic } = require("../tools.cjs");

module.exports = async () => {
  await callwright();
  // U+2028 and form feed end no line here, although some languages' libraries think so.
  const editor = await create("debug/typing.prompt", "One\u2028two\fthree 🐞\r\nNext\r\n");
  const { document } = editor;
  const call = '<debug_launch>{"program": "a.py", "mode": "slow"}</debug_launch>';
  for (const character of call) {
    const end = document.lineAt(1).range.end;
    assert.ok(await editor.edit((builder) => builder.insert(end, character)));
  }
  const { text, diagnostic: given } = await diagnostic(document, /slow/);
  assert.match(text, /^"?slow"?$/);
  assert.equal(given.range.start.line, 1);
  const start = document.getText().indexOf("slow");
  const range = new vscode.Range(document.positionAt(start), document.positionAt(start + 4));
  assert.ok(await editor.edit((builder) => builder.replace(range, "pytest")));
  await clean(document);
};
