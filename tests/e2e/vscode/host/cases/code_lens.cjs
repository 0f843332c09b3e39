/** Above a call stands what can be done about it: the lens copies what the model would be told. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { create, until } = require("../tools.cjs");

module.exports = async () => {
  const { document } = await create("debug/lens.toolcall", 'Start:\n\n<debug_launch>{"mode": "pytest"}</debug_launch>\n');
  const lens = await until("the lens", async () => {
    /** @type {import("vscode").CodeLens[]} */
    const given = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 50);
    return given.find(({ command }) => /feedback/.test(command?.title ?? ""));
  });
  assert.equal(lens.range.start.line, 2);
  assert.ok(lens.command);
  await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments ?? []));

  // In a transcript each reply has its verdict.
  const reply = { role: "assistant", content: '<debug_launch>{"program": "a.py"}</debug_launch>' };
  const chat = await create("debug/lens.jsonl", `${JSON.stringify({ messages: [{ role: "user", content: "Go." }, reply] })}\n`);
  await until("the verdict", async () => {
    /** @type {import("vscode").CodeLens[]} */
    const given = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", chat.document.uri, 50);
    return given.find(({ command }) => /^✓ 1 call/.test(command?.title ?? ""));
  });
};
