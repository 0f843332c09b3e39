/** What is wrong in the configuration is shown in the configuration file. */

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { callwright, clean, diagnostic, open, overwrite, uriOf } = require("../tools.cjs");

module.exports = async () => {
  await callwright();
  await open("debug/agent.prompt");
  const before = readFileSync(uriOf("debug/callwright.toml").fsPath, "utf8");
  overwrite("debug/callwright.toml", `${before}dialct = "xml-json"\n`);
  const { document } = await open("debug/callwright.toml");
  const { text } = await diagnostic(document, /dialct/);
  assert.equal(text, "dialct");
  overwrite("debug/callwright.toml", before);
  await clean(document);
};
