/** After `<` the tools of the registry are offered, and what is inserted is a call in the dialect that is asked for. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, completions, createAt, insert, labelOf, until } = require("../tools.cjs");

/** @param {string} file @param {string} marked @param {string} tool */
async function complete(file, marked, tool) {
  const { editor, position } = await createAt(file, marked);
  const item = await until(
    `the completion ${tool}`,
    async () => (await completions(editor.document, position, "<")).find((each) => labelOf(each) === tool),
  );
  return { editor, position, item };
}

module.exports = async () => {
  await callwright();
  const json = await complete("debug/tools.prompt", "First 🐞 <‸", "debug_launch");
  const labels = (await completions(json.editor.document, json.position, "<")).map(labelOf);
  assert.ok(labels.includes("debug_set_breakpoint"), labels.join());
  assert.ok(!labels.includes("append_to_report"), "the tools of another folder are not offered");
  assert.ok(json.item.insertText instanceof vscode.SnippetString, "a snippet");
  const text = await insert(json.editor, json.item);
  assert.match(text, /^First 🐞 <debug_launch>\{"program": ".*"\}<\/debug_launch>$/);

  const half = await complete("debug/half.prompt", "<debug_set‸", "debug_set_breakpoint");
  const inserted = await insert(half.editor, half.item);
  assert.match(inserted, /^<debug_set_breakpoint>\{.*"path": ".*".*"line": .*\}<\/debug_set_breakpoint>$/s);
};
