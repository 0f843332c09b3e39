/** What is restricted is said: by the status item, in the list of the editor, and at the key that reaches out of the folder. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, completions, createAt, diagnostic, labelOf, open, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  await open("agent.prompt");
  await until("the status of the file", () => (api.statusDetails().some((/** @type {string} */ line) => /^Server: .*not trusted/.test(line)) ? true : undefined), () => api.statusDetails());

  const manifest = vscode.extensions.getExtension("callwright.callwright")?.packageJSON;
  assert.match(manifest.capabilities.untrustedWorkspaces.description, /not trusted/);

  const configuration = await open("callwright.toml");
  await diagnostic(configuration.document, /outside\.json/);
  await diagnostic(configuration.document, /outside\.toml/);

  const { editor, position } = await createAt("completing.prompt", "<‸");
  const labels = await until("the tools of the folder", async () => {
    const found = (await completions(editor.document, position, "<")).map(labelOf);
    return found.some((label) => label.includes("debug_launch")) ? found : undefined;
  });
  assert.deepEqual(labels.filter((label) => label.includes("outside_tool")), [], "no tool file above the folder is read");
};
