/** The preview shows the active document as turns, follows what is typed, and keeps to what was said about it. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, create, until } = require("../tools.cjs");

const CHAT = JSON.stringify(
  {
    messages: [
      { role: "user", content: "Start it 🐞." },
      { role: "assistant", content: '<debug_launch>{"program": "a.py"</debug_launch>' },
    ],
  },
  undefined,
  2,
);

module.exports = async () => {
  const api = await callwright();
  const editor = await create("debug/preview.jsonl", JSON.stringify(JSON.parse(CHAT)) + "\n");
  await vscode.commands.executeCommand("callwright.showPreview");
  const uri = editor.document.uri.toString();
  const shown = () => (api.previewPage()?.uri === uri ? api.previewPage().html : undefined);
  const page = await until("the page", shown, () => api.previewPage()?.uri);
  assert.match(page, /Turn 2 · assistant/);
  assert.match(page, /✗ rejected: MALFORMED_JSON/);
  assert.match(page, /strikes: 1 of 3/);
  assert.match(page, /Feedback for the model/);

  // What is typed is on the page a moment later.
  const at = editor.document.getText().indexOf("</debug_launch>");
  await vscode.window.showTextDocument(editor.document).then((active) => active.edit((edit) => edit.insert(editor.document.positionAt(at), "}")));
  await until("the page after the edit", () => (/✓ accepted/.test(shown() ?? "") ? true : undefined), shown);

  // Another document takes its place; one that the server does not read does not.
  const { document } = await create("debug/other.prompt", '<debug_launch>{"program": "b.py"}</debug_launch>\n');
  await until("the other document", () => (api.previewPage()?.uri === document.uri.toString() ? true : undefined), () => api.previewPage()?.uri);
  assert.match(api.previewPage().html, /b\.py/);
  const tab = vscode.window.tabGroups.all.flatMap((group) => group.tabs).find(({ input }) => input instanceof vscode.TabInputWebview);
  assert.ok(tab);
  await vscode.window.tabGroups.close(tab);
  await until("no page", () => (api.previewPage() === undefined ? true : undefined));
};
