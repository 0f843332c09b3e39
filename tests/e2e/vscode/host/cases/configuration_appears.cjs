/** A first configuration in a folder brings the server to its Markdown, and away from it when the file goes. */

const assert = require("node:assert/strict");
const { unlinkSync } = require("node:fs");
const { callwright, clean, create, diagnostic, found, until, uriOf } = require("../tools.cjs");

/** A call with a trailing comma, in a dialect that frames itself: it is one without any tool in force. */
const CALL = '<tool_call>{"name": "debug_launch", "arguments": {"program": "a.py",}}</tool_call>\n';

module.exports = async () => {
  const api = await callwright();
  const { document } = await create("fresh/notes.md", `\`\`\`xml\n${CALL}\`\`\`\n`);
  await create("fresh/notes.prompt", CALL).then((editor) => diagnostic(editor.document, /comma/));
  assert.deepEqual(found(document), [], "without a configuration Markdown is left alone");

  const configuration = 'files = ["*.md"]\n';
  await create("fresh/callwright.toml", configuration);
  await create("fresh/notes.md", document.getText());
  await diagnostic(document, /comma/);

  unlinkSync(uriOf("fresh/callwright.toml").fsPath);
  await clean(document);
  await until("the running server", () => api.serverProcess());
};
