/** A server that dies is started again, and knows the open documents; a report of its end can be opened. */

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const vscode = require("vscode");
const { apply, callwright, clean, create, diagnostic, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const editor = await create("debug/crash.prompt", "<debug_launch><program>a.py</program></debug_launch>\n");
  const { document } = editor;
  const { diagnostic: given } = await diagnostic(document, /`xml-json`/);
  await apply(document, given.range, /^Convert .*JSON/, "quickfix");
  await clean(document);
  const earlier = await api.crashReport();
  const before = api.serverProcess();
  assert.ok(before);
  process.kill(before, "SIGKILL");
  await until("another server", () => (api.serverProcess() !== before ? api.serverProcess() : undefined));
  // Not saved: the new server has to be told what the old one knew.
  await editor.edit((builder) => builder.insert(document.positionAt(0), "<debug_launch><program>b.py</program></debug_launch>\n\n"));
  const { text } = await diagnostic(document, /`xml-json`/);
  assert.equal(text, "debug_launch");
  const report = await until("a report", async () => {
    const newest = await api.crashReport();
    return newest !== undefined && newest !== earlier ? newest : undefined;
  });
  assert.match(readFileSync(report, "utf8"), /^End: signal SIGKILL, \d+ s after its start$/m);
  await vscode.commands.executeCommand("callwright.showCrashReport");
  assert.equal(vscode.window.activeTextEditor?.document.fileName, report);
};
