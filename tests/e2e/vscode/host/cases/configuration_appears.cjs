/** A first configuration in a folder brings the server to its Markdown, and away from it when the file goes. */

const assert = require("node:assert/strict");
const { unlinkSync } = require("node:fs");
const { callwright, clean, create, diagnostic, found, until, uriOf } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const { document } = await create("fresh/notes.md", '```xml\n<debug_launch>{"program": "a.py",}</debug_launch>\n```\n');
  await create("fresh/notes.prompt", '<debug_launch>{"program": "b.py",}</debug_launch>\n').then((editor) => diagnostic(editor.document, /comma/));
  assert.deepEqual(found(document), [], "without a configuration Markdown is left alone");

  const configuration = 'files = ["*.md"]\n';
  await create("fresh/callwright.toml", configuration);
  await create("fresh/notes.md", document.getText());
  await diagnostic(document, /comma/);

  unlinkSync(uriOf("fresh/callwright.toml").fsPath);
  await clean(document);
  await until("the running server", () => api.serverProcess());
};
