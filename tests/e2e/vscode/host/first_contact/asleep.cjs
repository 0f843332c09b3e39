/** A folder without a configuration: a text without a call starts no server, the first prompt does. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { found, uriOf, until } = require("../tools.cjs");

module.exports = async () => {
  const extension = vscode.extensions.getExtension("callwright.callwright");
  assert.ok(extension, "the packaged extension is installed");
  const readme = await vscode.workspace.openTextDocument(uriOf("README.md"));
  await vscode.window.showTextDocument(readme, { preview: false });
  const api = await until("the extension, awake", () => (extension.isActive ? extension.exports : undefined));
  // What it does about what is open, it has done once this command is over.
  await vscode.commands.executeCommand("callwright.refreshTools");
  assert.equal(api.serverProcess(), undefined, "a text without a call starts no server");

  const program = await vscode.workspace.openTextDocument(uriOf("main.py"));
  await vscode.window.showTextDocument(program, { preview: false });
  assert.equal(api.serverProcess(), undefined, "a program starts no server");

  const agents = await vscode.workspace.openTextDocument(uriOf("AGENTS.md"));
  await vscode.window.showTextDocument(agents, { preview: false });
  await until("the server of a prompt", () => api.serverProcess(), () => api.statusDetails(), 240_000);
  await until("what is known of the prompt", () => (/\d tools? from this file/.test(api.statusText()) ? true : undefined), () => api.statusText());
  assert.deepEqual(found(readme), []);
};
