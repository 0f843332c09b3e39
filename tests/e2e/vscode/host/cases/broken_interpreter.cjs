/** An interpreter that does not exist is said plainly, and the server comes back as soon as the setting is right. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, diagnostic, open, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const settings = vscode.workspace.getConfiguration("callwright");
  try {
    await settings.update("interpreter", "/no/such/python", vscode.ConfigurationTarget.Global);
    await until("the failed state", () => (api.statusText().includes("$(error)") ? true : undefined), () => api.statusText());
    assert.equal(api.serverProcess(), undefined);
  } finally {
    await settings.update("interpreter", undefined, vscode.ConfigurationTarget.Global);
  }
  const { document } = await open("debug/agent.prompt");
  await diagnostic(document, /`xml-json`/);
};
