/** In a workspace of several folders each document is judged by the configuration of its own folder. */

const assert = require("node:assert/strict");
const path = require("node:path");
const vscode = require("vscode");
const { callwright, clean, create, diagnostic, found, until } = require("../tools.cjs");

/** How long the first answer of a server may take. */
const START = 90_000;
/** A call of a tool of the one folder, and one of a tool of the other; both in a dialect that neither asks for. */
const CALLS = "<debug_launch><program>a.py</program></debug_launch>\n\nThen report it.\n\n<append_to_report><content>x</content><path>/a</path></append_to_report>\n";

/** Write and open a file of a folder. @param {string} folder @param {string} name @param {string} text */
const write = (folder, name, text) => create(path.join("..", folder, name), text);

module.exports = async () => {
  const api = await callwright();
  assert.deepEqual(vscode.workspace.workspaceFolders?.map((folder) => folder.name), ["debug", "report"]);

  const { document: debug } = await write("debug", "own.prompt", CALLS);
  await diagnostic(debug, /`xml-json`/, undefined, START);
  await until("the status of the first", () => (api.statusText() === "$(tools) xml-json · 2 tools" ? true : undefined), () => api.statusText());

  // The same text, where there is another tool and another dialect is asked for.
  const { document: report } = await write("report", "own.prompt", CALLS);
  await diagnostic(report, /`tool-call-xml`/, 4);
  assert.deepEqual(found(report).map((item) => item.text), ["append_to_report"]);
  await until("the status of the second", () => (api.statusText() === "$(tools) tool-call-xml · 1 tool" ? true : undefined), () => api.statusText());
  await diagnostic(debug, /`xml-json`/, 0);
  assert.deepEqual(found(debug).map((item) => item.text), ["debug_launch"]);

  // A setting of one folder counts there alone.
  const settings = vscode.workspace.getConfiguration("callwright", debug.uri);
  await settings.update("dialect", "xml-children", vscode.ConfigurationTarget.WorkspaceFolder);
  await clean(debug);
  await diagnostic(report, /`tool-call-xml`/, 4);
  await settings.update("dialect", undefined, vscode.ConfigurationTarget.WorkspaceFolder);
  await diagnostic(debug, /`xml-json`/);
};
