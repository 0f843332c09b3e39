/** A block that teaches the tools is written anew by its quick fix, and is stale again when a tool changes. */

const assert = require("node:assert/strict");
const { apply, clean, create, diagnostic, open, overwrite } = require("../tools.cjs");

const BEGIN = "<!-- callwright:tools style=terse -->";
const END = "<!-- /callwright:tools -->";

module.exports = async () => {
  const { document } = await create("report/taught.prompt", `You write reports.\n\n${BEGIN}\n${END}\n\nBegin.\n`);
  const { text, diagnostic: given } = await diagnostic(document, /block is empty/);
  assert.equal(text, BEGIN);
  await apply(document, given.range, /^Write the block anew/, "quickfix");
  await clean(document);
  const written = document.getText();
  assert.ok(written.startsWith(`You write reports.\n\n${BEGIN}\n`) && written.endsWith(`${END}\n\nBegin.\n`), written);
  assert.match(written, /<tool_name>append_to_report<\/tool_name>/);

  const tools = (await open("report/tools.json")).document.getText();
  overwrite("report/tools.json", tools.replace("Appends Markdown to the report.", "Adds Markdown at the report's end."));
  await diagnostic(document, /does not say what its tools say/);
  overwrite("report/tools.json", tools);
  await clean(document);
};
