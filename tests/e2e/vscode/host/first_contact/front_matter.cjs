/** The tools that front matter lists are those that the prompt documents: completed, described, found, corrected. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { apply, clean, completions, diagnostic, labelOf, open } = require("../tools.cjs");

module.exports = async () => {
  const editor = await open("planner.agent.md");
  const { document } = editor;
  const line = document.lineAt(2);
  assert.equal(line.text, "tools: [search, find_page]");

  const inside = new vscode.Position(2, line.text.length - 1);
  assert.ok(await editor.edit((builder) => builder.insert(inside, ", raed_page")));
  const slip = await diagnostic(document, /listed under `tools`/);
  assert.equal(slip.text, "raed_page");
  await apply(document, slip.diagnostic.range, /^Rename to `read_page`/);
  await clean(document);

  const name = new vscode.Position(2, line.text.indexOf("find_page") + 2);
  /** @type {import("vscode").Hover[]} */
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, name);
  const said = hovers.flatMap((hover) => hover.contents.map((content) => (typeof content === "string" ? content : content.value))).join("\n");
  assert.match(said, /Finds pages of the wiki/);
  /** @type {(import("vscode").Location | import("vscode").LocationLink)[]} */
  const places = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", document.uri, name);
  assert.ok(places.length > 0);

  const all = document.lineAt(2).text;
  const tail = new vscode.Range(new vscode.Position(2, all.indexOf(", read_page") + 2), new vscode.Position(2, all.length - 1));
  assert.ok(await editor.edit((builder) => builder.replace(tail, "")));
  const labels = (await completions(document, tail.start)).map(labelOf);
  assert.deepEqual(labels.filter((label) => label.endsWith("_page")), ["read_page"]);
};
