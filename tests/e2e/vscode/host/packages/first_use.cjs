/** What a package brings is enough: its server runs in its own environment, and a fault in a prompt is shown and fixed. */

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const vscode = require("vscode");
const { apply, callwright, clean, diagnostic, open } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const { document } = await open("debug/agent.prompt");
  const command = readFileSync(`/proc/${api.serverProcess()}/cmdline`, "utf8").split("\0");
  assert.match(command[0] ?? "", /globalStorage\/callwright\.callwright\/server-[^/]+\/bin\/python$/);
  const { diagnostic: given } = await diagnostic(document, /`xml-json`/, 2);
  await apply(document, given.range, /^Convert .*JSON/, "quickfix");
  await clean(document);
  const installed = vscode.extensions.getExtension("callwright.callwright");
  assert.ok(installed);
  assert.equal(installed.packageJSON.preview, undefined);
};
