/** The restart command starts another process, and the diagnostics come back. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, diagnostic, open, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const { document } = await open("debug/agent.prompt");
  await diagnostic(document, /`xml-json`/);
  const before = api.serverProcess();
  await vscode.commands.executeCommand("callwright.restart");
  const after = await until("another server", () => api.serverProcess());
  assert.notEqual(after, before);
  await diagnostic(document, /`xml-json`/);
};
