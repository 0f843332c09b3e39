/** Text without a type has the type that its parameter's schema gives it written beside it. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { create, until } = require("../tools.cjs");

module.exports = async () => {
  const { document } = await create("debug/hints.prompt", "🐞 <debug_set_breakpoint><path>a.py</path><line>42</line></debug_set_breakpoint>\n");
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const hints = await until("the hints", async () => {
    /** @type {import("vscode").InlayHint[]} */
    const given = await vscode.commands.executeCommand("vscode.executeInlayHintProvider", document.uri, all);
    return given.length > 0 ? given : undefined;
  });
  const words = hints.map(({ label }) => (typeof label === "string" ? label : label.map((part) => part.value).join("")));
  const at = words.indexOf(": integer");
  assert.ok(at >= 0, words.join());
  // The place is counted as the editor counts: the first character is two units long.
  assert.equal(hints[at]?.position.character, document.lineAt(0).text.indexOf("</line>"));
};
