/** Cells of a notebook are checked in their own languages, follow what is typed, and are mended by quick fixes. */

const assert = require("node:assert/strict");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { actions, apply, callwright, clean, completions, diagnostic, found, labelOf, until, uriOf } = require("../tools.cjs");

const wrong = '<debug_lanch>{"program": "a.py"}</debug_lanch>';
const right = '<debug_launch>{"program": "a.py"}</debug_launch>';

/** @param {string} kind @param {string} text */
const cell = (kind, text) => ({
  cell_type: kind,
  metadata: {},
  source: text.match(/[^\n]*\n|[^\n]+/g),
  ...(kind === "code" ? { execution_count: null, outputs: [] } : {}),
});

/**
 * Take the one quick fix that renames. A cell's editor is asked for fixes only once it is there.
 *
 * @param {import("vscode").TextDocument} document @param {import("vscode").Range} range
 */
async function mend(document, range) {
  await until(
    "a quick fix",
    async () => ((await actions(document, range, "quickfix")).length > 0 ? true : undefined),
    () => [document.getText(), found(document).map(({ message }) => message)],
  );
  await apply(document, range, /^Rename to/, "quickfix");
}

module.exports = async () => {
  await callwright();
  const uri = uriOf("debug/sources/agent.ipynb");
  const cells = [cell("markdown", `Write it so:\n\n${wrong}\n`), cell("code", `PROMPT = """\n${wrong}\n"""\n`), cell("code", "x = 1\n")];
  const notebook = { cells, metadata: { kernelspec: { language: "python", name: "python3", display_name: "Python" } }, nbformat: 4, nbformat_minor: 5 };
  mkdirSync(path.dirname(uri.fsPath), { recursive: true });
  writeFileSync(uri.fsPath, `${JSON.stringify(notebook, null, 1)}\n`);

  // As a person does it: findings are asked for once a notebook is opened, if its tab is there by then.
  await vscode.commands.executeCommand("vscode.open", uri);
  const editor = await until(
    "the notebook's editor",
    () => vscode.window.visibleNotebookEditors.find((each) => each.notebook.uri.toString() === uri.toString()),
    () => vscode.window.visibleNotebookEditors.map((each) => each.notebook.uri.toString()),
  );
  const document = editor.notebook;
  const [markdown, code, other] = document.getCells().map((each) => each.document);
  assert.ok(markdown && code && other, "the notebook has three cells");
  try {
    const first = await diagnostic(markdown, /debug_lanch/, 2);
    assert.equal(first.text, "debug_lanch");
    const second = await diagnostic(code, /debug_lanch/, 1);
    assert.deepEqual(found(other), []);

    await mend(code, second.diagnostic.range);
    assert.equal(code.getText(), `PROMPT = """\n${right}\n"""\n`);
    await clean(code);
    assert.equal(found(markdown).length, 1, "the other cell is as it was");
    // A Markdown cell is shown as a page until somebody edits it, and a page has no quick fixes.
    editor.selection = new vscode.NotebookRange(0, 1);
    await vscode.commands.executeCommand("notebook.cell.edit");
    await until(
      "the Markdown cell in an editor",
      () => (vscode.window.activeTextEditor?.document === markdown ? true : undefined),
      () => vscode.window.activeTextEditor?.document.uri.toString(),
    );
    await mend(markdown, first.diagnostic.range);
    await clean(markdown);

    const labels = (await completions(code, new vscode.Position(1, 1), "<")).map(labelOf);
    assert.ok(labels.includes("debug_launch"), labels.join());

    // A cell comes, and goes again.
    const added = new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, wrong, "markdown");
    const edit = new vscode.WorkspaceEdit();
    edit.set(uri, [vscode.NotebookEdit.insertCells(0, [added])]);
    assert.ok(await vscode.workspace.applyEdit(edit));
    const { document: fresh } = document.cellAt(0);
    await diagnostic(fresh, /debug_lanch/, 0);
    const back = new vscode.WorkspaceEdit();
    back.set(uri, [vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(0, 1))]);
    assert.ok(await vscode.workspace.applyEdit(back));
    await clean(fresh);
  } finally {
    await document.save();
  }
  assert.ok(!readFileSync(uri.fsPath, "utf8").includes("debug_lanch"), "what was mended is saved");
};
