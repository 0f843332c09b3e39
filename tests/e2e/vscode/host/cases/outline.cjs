/** The outline holds calls with their arguments, calls fold and are chosen step by step, and a tag shows its pair. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { createAt, until } = require("../tools.cjs");

const TEXT = 'Go 🐞:\n\n<debug_launch>\n{\n  "program": "a‸.py",\n  "mode": "pytest"\n}\n</debug_launch>\n';

module.exports = async () => {
  const { editor, position } = await createAt("debug/outline.prompt", TEXT);
  const { document } = editor;
  const [call] = await until("the outline", async () => {
    /** @type {import("vscode").DocumentSymbol[] | undefined} */
    const given = await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", document.uri);
    return given?.length ? given : undefined;
  });
  assert.equal(call?.name, "debug_launch");
  assert.deepEqual(call.children.map((child) => child.name), ["program", "mode"]);
  assert.equal(document.getText(call.selectionRange), "debug_launch");

  /** @type {import("vscode").FoldingRange[]} */
  const folds = await vscode.commands.executeCommand("vscode.executeFoldingRangeProvider", document.uri);
  assert.ok(folds.some(({ start, end }) => start === 2 && end >= 6), JSON.stringify(folds));

  /** @type {import("vscode").SelectionRange[]} */
  const [chosen] = await vscode.commands.executeCommand("vscode.executeSelectionRangeProvider", document.uri, [position]);
  const steps = [];
  for (let each = chosen; each !== undefined; each = each.parent) {
    steps.push(document.getText(each.range));
  }
  for (const text of ["a.py", '"program": "a.py"']) {
    assert.ok(steps.includes(text), steps.join("\n--\n"));
  }
  assert.ok(steps.some((text) => text.startsWith("<debug_launch>") && text.endsWith("</debug_launch>")));

  const tag = document.positionAt(document.getText().indexOf("debug_launch") + 1);
  /** @type {import("vscode").DocumentHighlight[]} */
  const marks = await vscode.commands.executeCommand("vscode.executeDocumentHighlights", document.uri, tag);
  assert.deepEqual(marks.map(({ range }) => [range.start.line, document.getText(range)]), [[2, "debug_launch"], [7, "debug_launch"]]);
};
