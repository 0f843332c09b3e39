/** A changed configuration, tool file or setting counts at once: same server, other diagnostics. */

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const vscode = require("vscode");
const { callwright, clean, create, diagnostic, overwrite, uriOf } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  const server = api.serverProcess();
  const { document } = await create("debug/changing.prompt", "<debug_launch><program>a.py</program></debug_launch>\n");
  await diagnostic(document, /`xml-json`/);

  const configuration = readFileSync(uriOf("debug/callwright.toml").fsPath, "utf8");
  overwrite("debug/callwright.toml", configuration.replace('dialect = "xml-json"', 'dialect = "xml-children"'));
  await clean(document);
  overwrite("debug/callwright.toml", configuration);
  await diagnostic(document, /`xml-json`/);

  const tools = readFileSync(uriOf("debug/tools/debug.json").fsPath, "utf8");
  overwrite("debug/tools/debug.json", tools.replace('"name": "debug_launch"', '"name": "debug_launcher"'));
  await diagnostic(document, /`debug_launcher`/);
  overwrite("debug/tools/debug.json", tools);
  await clean(document, /`debug_launcher`/);

  const settings = vscode.workspace.getConfiguration("callwright", document.uri);
  await settings.update("dialect", "xml-children", vscode.ConfigurationTarget.Workspace);
  await clean(document);
  await settings.update("dialect", undefined, vscode.ConfigurationTarget.Workspace);
  await diagnostic(document, /`xml-json`/);

  assert.equal(api.serverProcess(), server, "the server was not restarted");
};
