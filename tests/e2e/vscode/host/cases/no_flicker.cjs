/** Findings go at once where an edit removes them; those of other calls stay all the while a tag is typed. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { clean, create, diagnostic, found } = require("../tools.cjs");

const SLOW = '<debug_launch>{"program": "a.py", "mode": "slow"}</debug_launch>';

module.exports = async () => {
  const editor = await create("debug/flicker.prompt", `${SLOW}\n\n\n`);
  const { document } = editor;
  const { text } = await diagnostic(document, /slow/);
  /** @type {string[][]} */
  const seen = [];
  const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (uris.some((uri) => uri.toString() === document.uri.toString())) {
      seen.push(found(document).map((item) => item.text));
    }
  });
  try {
    for (const character of SLOW.replace("slow", "fast")) {
      const end = document.lineAt(2).range.end;
      assert.ok(await editor.edit((builder) => builder.insert(end, character)));
    }
    await diagnostic(document, /fast/);
    assert.deepEqual(seen.filter((texts) => !texts.includes(text)), [], "the finding above was there all the while");

    // Without the call there is no finding, and none comes back.
    assert.ok(await editor.edit((builder) => builder.delete(new vscode.Range(0, 0, 3, 0))));
    await clean(document);
    assert.ok(await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), SLOW.replace("slow", "pytest"))));
    assert.deepEqual(found(document), []);
  } finally {
    listener.dispose();
  }
};
