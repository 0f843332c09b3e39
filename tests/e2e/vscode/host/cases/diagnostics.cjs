/** A prompt that is opened shows what is wrong with it: code, source, severity, message, exact range. */

const assert = require("node:assert/strict");
const { diagnostic, found, open } = require("../tools.cjs");

module.exports = async () => {
  const { document } = await open("debug/agent.prompt");
  const { code, text, source, severity, diagnostic: given } = await diagnostic(document, /`xml-json`/, 2);
  assert.match(code, /^TC\d{3}$/);
  assert.equal(source, "callwright");
  assert.equal(severity, "Error");
  // Two characters outside the BMP stand before the call: columns count UTF-16 units here.
  assert.equal(text, "debug_launch");
  assert.equal(given.range.start.character, document.lineAt(2).text.indexOf("debug_launch>"));
  assert.deepEqual(
    found(document).map((item) => item.text),
    ["debug_launch"],
    "the call that is as it should be has no diagnostic",
  );
};
