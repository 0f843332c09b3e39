/** A folder that is added counts at once, with its own configuration; one that is removed no longer does. */

const assert = require("node:assert/strict");
const { mkdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { callwright, clean, diagnostic, found, open, root } = require("../tools.cjs");

/** How long the first answer of a server may take: another one is started for other folders. */
const START = 90_000;

/** Change the folders, and wait until the editor has. @param {() => boolean} change */
async function folders(change) {
  const changed = new Promise((resolve) => {
    const listener = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      listener.dispose();
      resolve(undefined);
    });
  });
  assert.ok(change());
  await changed;
}

module.exports = async () => {
  await callwright();
  const { document: debug } = await open("agent.prompt");
  await diagnostic(debug, /`xml-json`/, undefined, START);

  const folder = path.join(root(), "..", "added");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "callwright.toml"), 'dialect = "tool-call-json"\nfiles = ["*.md"]\nshipped = false\n');
  // Only the folder's own configuration says that such a file holds calls at all.
  const page = vscode.Uri.file(path.join(folder, "page.md"));
  writeFileSync(page.fsPath, "Call it so:\n\n<debug_launch>{}</debug_launch>\n\n<tool_call>{\"name\": 1}</tool_call>\n");
  const document = await vscode.workspace.openTextDocument(page);
  await vscode.window.showTextDocument(document, { preview: false });
  assert.deepEqual(found(document), []);

  const place = vscode.workspace.workspaceFolders?.length ?? 0;
  await folders(() => vscode.workspace.updateWorkspaceFolders(place, 0, { uri: vscode.Uri.file(folder) }));
  await diagnostic(document, /(?:)/, 4, START);
  await diagnostic(debug, /`xml-json`/);

  await folders(() => vscode.workspace.updateWorkspaceFolders(place, 1));
  await clean(document);
  await diagnostic(debug, /`xml-json`/);
};
