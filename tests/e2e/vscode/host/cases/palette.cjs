/** What the light bulb and the lenses offer can be had from the palette: each command acts on the call at the cursor. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, clean, createAt, diagnostic, until } = require("../tools.cjs");

const run = (/** @type {string} */ name) => vscode.commands.executeCommand(`callwright.${name}`);

/** Run a command that asks, and take what it proposes first. @param {string} name @param {import("vscode").TextDocument} document */
async function takeFirst(name, document) {
  const before = document.getText();
  const running = run(name);
  await until(
    `what ${name} writes`,
    async () => {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      return document.getText() === before ? undefined : true;
    },
    () => document.getText(),
  );
  await running;
}

module.exports = async () => {
  const api = await callwright();
  const { editor } = await createAt("debug/palette.prompt", '<debug_launch>{"program": "a.py",‸ "stopOnEntry": True}</debug_launch>\n');
  const { document } = editor;
  await diagnostic(document, /True/);

  await run("fixAll");
  assert.equal(document.getText(), '<debug_launch>{"program": "a.py", "stopOnEntry": true}</debug_launch>\n');
  await clean(document);

  // The dialect that is asked for comes first.
  await until("the status of the file", () => (api.statusText().includes("xml-json") ? true : undefined), () => api.statusText());
  await editor.edit((edit) => edit.replace(new vscode.Range(0, 0, 1, 0), "<debug_launch><program>a.py</program></debug_launch>\n"));
  await diagnostic(document, /xml-json/);
  editor.selection = new vscode.Selection(0, 20, 0, 20);
  await takeFirst("convertCall", document);
  assert.equal(document.getText(), '<debug_launch>{"program": "a.py"}</debug_launch>\n');

  await editor.edit((edit) => edit.replace(new vscode.Range(0, 0, 1, 0), "<debug_lunch>{}</debug_lunch>\n"));
  await diagnostic(document, /debug_lunch/);
  editor.selection = new vscode.Selection(0, 4, 0, 4);
  await run("ignoreHere");
  assert.match(document.getText(), /^<!-- callwright: ignore\[TC\d+\] -->\n<debug_lunch>/);
  await clean(document);

  // Snippets come by their names, and a file of tools begins with one.
  await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  await run("newToolFile");
  const made = await until("the new file", () => {
    const shown = vscode.window.activeTextEditor?.document;
    return shown?.languageId === "json" && shown.getText() !== "" ? shown : undefined;
  });
  assert.equal(JSON.parse(made.getText()).tools[0].inputSchema.type, "object");
  await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
};
