/** Inside a call its parameters are offered, those that are there already are not; then the values that are allowed. */

const assert = require("node:assert/strict");
const { callwright, completions, createAt, insert, labelOf, until } = require("../tools.cjs");

/** @param {string} file @param {string} marked @param {string} wanted */
async function labels(file, marked, wanted) {
  const { editor, position } = await createAt(file, marked);
  const items = await until(`the completion ${wanted}`, async () => {
    const offered = await completions(editor.document, position);
    return offered.some((item) => labelOf(item) === wanted) ? offered : undefined;
  });
  return { editor, items, names: items.map(labelOf) };
}

module.exports = async () => {
  await callwright();
  const keys = await labels("debug/keys.prompt", '<debug_set_breakpoint>{"path": "a.py", "‸"}</debug_set_breakpoint>', "line");
  assert.ok(!keys.names.includes("path"), `what is there is not offered again: ${keys.names.join()}`);
  assert.ok(keys.names.includes("condition"));
  const line = keys.items.find((item) => labelOf(item) === "line");
  assert.ok(line);
  assert.match(await insert(keys.editor, line), /^<debug_set_breakpoint>\{"path": "a\.py", "line": ?.*\}<\/debug_set_breakpoint>$/);

  const values = await labels("debug/values.prompt", '<debug_launch>{"program": "a.py", "mode": "‸"}</debug_launch>', "pytest");
  const pytest = values.items.find((item) => labelOf(item) === "pytest");
  assert.ok(pytest);
  assert.equal(await insert(values.editor, pytest), '<debug_launch>{"program": "a.py", "mode": "pytest"}</debug_launch>');

  const elements = await labels(
    "report/elements.prompt",
    "<tool_call><tool_name>append_to_report</tool_name><arguments><‸</arguments></tool_call>",
    "content",
  );
  const content = elements.items.find((item) => labelOf(item) === "content");
  assert.ok(content);
  assert.match(await insert(elements.editor, content), /<arguments><content>.*<\/content><\/arguments>/s);
};
