/** Names of tools and parameters are coloured by what they are; a tool that nobody defines is marked as unknown. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { create, until } = require("../tools.cjs");

/** The words that are coloured, with their types and modifiers. @param {import("vscode").TextDocument} document */
async function coloured(document) {
  /** @type {import("vscode").SemanticTokensLegend | undefined} */
  const legend = await vscode.commands.executeCommand("vscode.provideDocumentSemanticTokensLegend", document.uri);
  /** @type {import("vscode").SemanticTokens | undefined} */
  const tokens = await vscode.commands.executeCommand("vscode.provideDocumentSemanticTokens", document.uri);
  const found = [];
  let line = 0;
  let character = 0;
  for (let i = 0; legend !== undefined && tokens !== undefined && i < tokens.data.length; i += 5) {
    const [lines = 0, characters = 0, length = 0, type = 0, modifiers = 0] = tokens.data.slice(i, i + 5);
    character = lines > 0 ? characters : character + characters;
    line += lines;
    const text = document.getText(new vscode.Range(line, character, line, character + length));
    found.push([text, legend.tokenTypes[type], legend.tokenModifiers.filter((_, bit) => modifiers & (1 << bit)).join(" ")].join(" ").trim());
  }
  return found;
}

module.exports = async () => {
  const { document } = await create(
    "debug/colours.prompt",
    '🐞 <debug_launch>{"program": "a.py"}</debug_launch>\n\n<debug_lunch>{"program": "a.py"}</debug_lunch>\n',
  );
  const words = await until("the colours", async () => {
    const given = await coloured(document);
    return given.length > 0 ? given : undefined;
  });
  assert.equal(words.filter((word) => word === "debug_launch function").length, 2, words.join("\n"));
  assert.ok(words.some((word) => /^"?program"? (parameter|property)/.test(word)), words.join("\n"));
  assert.ok(words.some((word) => /^debug_lunch .*unknown/.test(word)), words.join("\n"));
};
