/** *Fix all* applies every fix that is safe, in one step. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { actions, callwright, clean, create, diagnostic } = require("../tools.cjs");

module.exports = async () => {
  await callwright();
  const { document } = await create(
    "debug/all.prompt",
    '<debug_launch>{"program": "a.py",}</debug_launch>\n\n<debug_set_breakpoint>{"path": "a.py", "line": 3,}</debug_set_breakpoint>\n',
  );
  await diagnostic(document, /comma/i);
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const offered = await actions(document, all, "source.fixAll.callwright");
  assert.equal(offered.length, 1, JSON.stringify(offered.map((action) => action.title)));
  assert.ok(offered[0]?.edit);
  assert.ok(await vscode.workspace.applyEdit(offered[0].edit));
  assert.equal(
    document.getText(),
    '<debug_launch>{"program": "a.py"}</debug_launch>\n\n<debug_set_breakpoint>{"path": "a.py", "line": 3}</debug_set_breakpoint>\n',
  );
  await clean(document);
};
