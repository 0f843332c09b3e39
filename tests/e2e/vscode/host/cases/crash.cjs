/** A server that dies is started again, and knows the open documents. */

const assert = require("node:assert/strict");
const { apply, callwright, clean, create, diagnostic, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const editor = await create("debug/crash.prompt", "<debug_launch><program>a.py</program></debug_launch>\n");
  const { document } = editor;
  const { diagnostic: given } = await diagnostic(document, /`xml-json`/);
  await apply(document, given.range, /^Convert .*JSON/, "quickfix");
  await clean(document);
  const before = api.serverProcess();
  assert.ok(before);
  process.kill(before, "SIGKILL");
  await until("another server", () => (api.serverProcess() !== before ? api.serverProcess() : undefined));
  // Not saved: the new server has to be told what the old one knew.
  await editor.edit((builder) => builder.insert(document.positionAt(0), "<debug_launch><program>b.py</program></debug_launch>\n\n"));
  const { text } = await diagnostic(document, /`xml-json`/);
  assert.equal(text, "debug_launch");
};
