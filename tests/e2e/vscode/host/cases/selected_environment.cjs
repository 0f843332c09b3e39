/** The environment that is selected for Python serves where callwright is installed in it; without one the private one does. */

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const vscode = require("vscode");
const { callwright, diagnostic, open, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const { document } = await open("debug/agent.prompt");
  const [python] = readFileSync(`/proc/${api.serverProcess()}/cmdline`, "utf8").split("\0");
  const extension = vscode.extensions.getExtension("ms-python.python");
  assert.ok(extension);
  /** @param {string | undefined} interpreter @param {RegExp} server */
  const select = async (interpreter, server) => {
    extension.exports.select(interpreter);
    await until(`a server like ${server}`, () => (server.test(api.statusDetails().join("\n")) && api.serverProcess()) || undefined, () => api.statusDetails());
  };
  try {
    await select(python, /Server: callwright \d+\.\d+\.\d+ of .* \(selected environment\)/);
    await diagnostic(document, /`xml-json`/);
  } finally {
    await select(undefined, /Server: bundled/);
  }
};
