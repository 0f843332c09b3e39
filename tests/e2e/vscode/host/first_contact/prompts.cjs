/** Prompts by their names, without a configuration: nothing is wrongly found in any, and everything works in each. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { apply, completions, diagnostic, found, labelOf, open, until } = require("../tools.cjs");

const PROMPTS = ["review.prompt.md", "planner.agent.md", ".cursor/rules/style.mdc", "AGENTS.md", "skills/pages/SKILL.md", "team.instructions.md"];

/** @param {string} name */
async function works(name) {
  const editor = await open(name);
  const { document } = editor;
  /** @param {string} text @param {number} [from] */
  const at = (text, from = 0) => {
    const offset = document.getText().indexOf(text, from);
    assert.ok(offset >= 0, `${name}: ${text}`);
    return document.positionAt(offset + 1);
  };
  const call = document.getText().lastIndexOf("<find_page>");

  // A misspelt parameter shows that the file is read; without it nothing is found.
  const parameter = new vscode.Range(document.positionAt(call + 12), document.positionAt(call + 16));
  assert.equal(document.getText(parameter), "<tex");
  assert.ok(await editor.edit((builder) => builder.replace(parameter, "<txe")));
  const slip = await diagnostic(document, /text/);
  await apply(document, slip.diagnostic.range, /^Rename to `text`/);
  // VS Code has words of its own for the front matter of prompts.
  const ours = () => found(document).filter((item) => item.source === "callwright");
  await until("a prompt without a diagnostic", () => (ours().length === 0 ? true : undefined), () => ours().map((item) => item.message));

  /** @type {import("vscode").Hover[]} */
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, at("<find_page>", call));
  const said = hovers.flatMap((hover) => hover.contents.map((content) => (typeof content === "string" ? content : content.value))).join("\n");
  assert.match(said, /Finds pages of the wiki/, name);

  /** @type {(import("vscode").Location | import("vscode").LocationLink)[]} */
  const places = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", document.uri, at("<find_page>", call));
  const lines = places.map((place) => ("range" in place ? place.range : place.targetRange).start.line);
  assert.ok(lines.some((line) => document.lineAt(line).text.includes("## find_page")), `${name}: ${JSON.stringify(lines)}`);

  const end = document.positionAt(document.getText().length);
  assert.ok(await editor.edit((builder) => builder.insert(end, "\n<re")));
  const last = document.positionAt(document.getText().length);
  const labels = (await completions(document, last)).map(labelOf);
  assert.ok(labels.includes("read_page"), `${name}: ${labels.join(", ")}`);
}

module.exports = async () => {
  for (const name of PROMPTS) {
    await works(name);
  }
};
