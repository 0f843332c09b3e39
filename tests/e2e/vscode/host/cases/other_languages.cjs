/** Markdown is checked where the configuration names it, and only there; so is a transcript, through its JSON escapes. */

const assert = require("node:assert/strict");
const { create, diagnostic, found, open } = require("../tools.cjs");

module.exports = async () => {
  const unnamed = await open("debug/README.md");
  const { document } = await open("debug/docs/format.md");
  const { text } = await diagnostic(document, /pytests/);
  assert.match(text, /^"?pytests"?$/);
  assert.deepEqual(found(unnamed.document), [], "a file that the configuration does not name is left alone");

  const content = 'I start it. <debug_launch>{"program": "a.py", "mode": "pytests"}</debug_launch>';
  const transcript = await create("debug/run.jsonl", `${JSON.stringify({ messages: [{ role: "assistant", content }] })}\n`);
  const inside = await diagnostic(transcript.document, /pytests/);
  assert.match(inside.text, /^(?:\\")?pytests(?:\\")?$/);
};
