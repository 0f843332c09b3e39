/** In a folder that is not trusted the server of the extension's own serves, and nothing that the folder names or holds is run. */

const assert = require("node:assert/strict");
const { existsSync, readFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { callwright, diagnostic, open, root, until } = require("../tools.cjs");

module.exports = async () => {
  assert.equal(vscode.workspace.isTrusted, false);
  const canary = path.join(root(), "..", "canary");
  const api = await callwright();
  const { document } = await open("agent.prompt");
  await diagnostic(document, /`xml-json`/, undefined, 90_000);
  /** Nothing was run, and the private environment serves. */
  const unharmed = () => {
    assert.ok(!existsSync(canary), existsSync(canary) ? readFileSync(canary, "utf8") : "");
    assert.match(readFileSync(`/proc/${api.serverProcess()}/cmdline`, "utf8").split("\0")[0] ?? "", /globalStorage\/callwright\.callwright\/server-[^/]+\/bin\/python$/);
    assert.ok(!readFileSync(`/proc/${api.serverProcess()}/maps`, "utf8").includes(root()), "no library of the folder is loaded");
  };
  unharmed();

  // What the folder's settings say of executables and tools is not heeded.
  const settings = vscode.workspace.getConfiguration("callwright", document.uri);
  for (const name of ["path", "interpreter"]) {
    assert.equal(settings.get(name), "", name);
  }
  assert.equal(settings.get("importStrategy"), "fromEnvironment");
  assert.equal(settings.get("tools"), null);

  // Neither is the environment that lies in the folder, when it is selected and the server starts anew.
  const python = vscode.extensions.getExtension("ms-python.python");
  await python?.activate();
  python?.exports.select(path.join(root(), ".venv", "bin", "python"));
  const before = api.serverProcess();
  await vscode.commands.executeCommand("callwright.restart");
  await until("another server", () => (api.serverProcess() === before ? undefined : api.serverProcess()), () => api.statusDetails());
  await diagnostic(document, /`xml-json`/, undefined, 90_000);
  unharmed();

  // The servers of `.mcp.json` are not asked for their tools.
  await vscode.commands.executeCommand("callwright.lockTools");
  assert.deepEqual(vscode.tasks.taskExecutions.map((execution) => execution.task.name), []);
  unharmed();
};
