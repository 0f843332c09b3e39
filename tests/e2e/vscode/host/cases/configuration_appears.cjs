/** A first configuration in a folder brings the server to the files that it names, and away from them when it goes. */

const assert = require("node:assert/strict");
const { unlinkSync } = require("node:fs");
const { callwright, clean, create, diagnostic, found, until, uriOf } = require("../tools.cjs");

/** A call with a trailing comma, in a dialect that frames itself: it is one without any tool in force. */
const CALL = '<tool_call>{"name": "debug_launch", "arguments": {"program": "a.py",}}</tool_call>\n';

module.exports = async () => {
  const api = await callwright();
  const { document } = await create("fresh/notes.py", `PROMPT = """\n${CALL}"""\n`);
  const text = await create("fresh/notes.md", `\`\`\`xml\n${CALL}\`\`\`\n`);
  await diagnostic(text.document, /comma/);
  assert.deepEqual(found(document), [], "without a configuration a program is left alone");

  await create("fresh/callwright.toml", 'files = ["*.py"]\n');
  await create("fresh/notes.py", document.getText());
  await diagnostic(document, /comma/);
  // What is named is read in place of what is found.
  await clean(text.document);

  const attached = api.serverProcess();
  unlinkSync(uriOf("fresh/callwright.toml").fsPath);
  await clean(document);
  await diagnostic(text.document, /comma/);
  // The server follows the deletion before the editor has found it and attaches a new server to other documents.
  await until("a server for other documents", () => [api.serverProcess()].find((server) => server && server !== attached));
};
