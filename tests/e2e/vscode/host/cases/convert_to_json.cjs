/** The quick fix turns XML children into one JSON object, and nothing else changes. */

const assert = require("node:assert/strict");
const { apply, clean, diagnostic, open } = require("../tools.cjs");

module.exports = async () => {
  const { document } = await open("debug/agent.prompt");
  const before = document.getText();
  const { diagnostic: given } = await diagnostic(document, /`xml-json`/);
  const action = await apply(document, given.range, /^Convert .*JSON/, "quickfix");
  assert.equal(action.isPreferred, true);
  assert.equal(
    document.getText(),
    before.replace(
      /<debug_launch>.*<\/debug_launch>/,
      '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>',
    ),
  );
  await clean(document);
};
