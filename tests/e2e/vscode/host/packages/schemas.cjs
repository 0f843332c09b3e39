/** The editor's own support for JSON validates and completes our files, and leaves those of others with such names alone. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { completions, create, found, until } = require("../tools.cjs");

/** Files by name: what is wrong in each as the editor's support for JSON words it, or null. @type {Record<string, [unknown, RegExp | null]>} */
const FILES = {
  "kit.toolset.json": [{ name: "kit", markup: "html", tools: [{ name: "a", inputSchema: { type: "object" } }] }, /"xml", "raw"/],
  "run.session.json": [{ callwright_session: { version: 2 }, messages: [] }, /Value must be 1/],
  "others.session.json": [{ user: "me", messages: 3 }, null],
  "list.session.json": [[1, 2], null],
  "own/tools.lock.json": [{ lockVersion: 1, servers: { a: { tools: [] } } }, /Missing property "origin"/],
  "others/tools.lock.json": [{ lockfile: "of another program", servers: [] }, null],
};

module.exports = async () => {
  for (const [name, [content, wrong]] of Object.entries(FILES)) {
    const { document } = await create(`schemas/${name}`, JSON.stringify(content, null, 2));
    const seen = () => found(document).filter(({ source }) => source !== "callwright").map(({ message }) => message);
    if (wrong === null) {
      // The support for JSON answers: it has read the file, and said nothing of it.
      await until(`the outline of ${name}`, async () => {
        /** @type {unknown[] | undefined} */
        const symbols = await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", document.uri);
        return symbols !== undefined && symbols.length > 0 ? true : undefined;
      });
      assert.deepEqual(seen(), [], name);
    } else {
      await until(`a diagnostic of ${name}`, () => (seen().some((message) => wrong.test(message)) ? true : undefined), seen);
    }
  }
  const { document } = await create("schemas/typed.toolset.json", '{\n  "name": "kit",\n  \n}\n');
  const offered = await until("completions of keys", async () => {
    const items = await completions(document, new vscode.Position(2, 2));
    return items.length > 0 ? items.map(({ label }) => (typeof label === "string" ? label : label.label)) : undefined;
  });
  assert.ok(offered.includes("dialect") && offered.includes("tools"), JSON.stringify(offered));
};
