/** The quick fix puts a text that is no XML into a CDATA section, and nothing else changes. */

const assert = require("node:assert/strict");
const { apply, clean, found, open, until } = require("../tools.cjs");

module.exports = async () => {
  const { document } = await open("report/research.prompt");
  const before = document.getText();
  const { diagnostic: given } = await until(
    "a diagnostic in the text",
    () => found(document).find(({ text }) => /[<&]/.test(text)),
    () => found(document).map(({ message, text }) => [message, text]),
  );
  assert.equal(given.range.start.line, 7, "the diagnostic is where the raw characters are");
  await apply(document, given.range, /CDATA/, "quickfix");
  const after = document.getText();
  assert.equal(after, before.replace("<content>", "<content><![CDATA[").replace("</content>", "]]></content>"));
  await clean(document);
};
