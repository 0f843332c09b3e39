/**
 * What cases have in common: open and write files, wait for the server, apply what it offers.
 *
 * Nothing waits for a clock: `until` asks again and again until the state is there, and says what it saw last.
 */

const assert = require("node:assert/strict");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

/** Folder that is open. */
function root() {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, "a folder is open");
  return folder.uri.fsPath;
}

/** @param {string} relative */
const uriOf = (relative) => vscode.Uri.file(path.join(root(), relative));

/**
 * Ask until the answer is not undefined.
 *
 * @template T
 * @param {string} what
 * @param {() => T | undefined | PromiseLike<T | undefined>} ask
 * @param {() => unknown} seen
 * @returns {Promise<T>}
 */
async function until(what, ask, seen = () => undefined, limit = 20_000) {
  const deadline = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) {
      return answer;
    }
    if (Date.now() > deadline) {
      throw new Error(`${what} did not come; seen last: ${JSON.stringify(seen())}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The extension's own interface, once its server runs (the first start makes a Python environment). */
async function callwright() {
  const extension = vscode.extensions.getExtension("callwright.callwright");
  assert.ok(extension, "the packaged extension is installed");
  const api = await extension.activate();
  await until("the running server", () => api.serverProcess(), () => [api.statusText(), ...api.statusDetails()], 240_000);
  return api;
}

/** Open a file of the workspace in an editor. @param {string} relative */
async function open(relative) {
  // Without a configuration it is a document that the server starts for.
  const document = await vscode.workspace.openTextDocument(uriOf(relative));
  await callwright();
  return vscode.window.showTextDocument(document, { preview: false });
}

/** Write a file and open it. @param {string} relative @param {string} text */
async function create(relative, text) {
  mkdirSync(path.dirname(path.join(root(), relative)), { recursive: true });
  writeFileSync(path.join(root(), relative), text);
  return open(relative);
}

/** Write a file and open it with the cursor where `‸` stands. @param {string} relative @param {string} marked */
async function createAt(relative, marked) {
  const offset = marked.indexOf("‸");
  assert.ok(offset >= 0, "the text has a cursor");
  const editor = await create(relative, marked.replace("‸", ""));
  const position = editor.document.positionAt(offset);
  editor.selection = new vscode.Selection(position, position);
  return { editor, position };
}

/** @type {Map<string, string>} */
const overwritten = new Map();

/** Replace the whole text of a file on disk, as another program would. @param {string} relative @param {string} text */
function overwrite(relative, text) {
  const file = path.join(root(), relative);
  if (!overwritten.has(file)) {
    overwritten.set(file, readFileSync(file, "utf8"));
  }
  writeFileSync(file, text);
}

/** Give every file that was overwritten its first text again, so that a case that fails does not fail the others. */
function restore() {
  for (const [file, text] of overwritten) {
    writeFileSync(file, text);
  }
  overwritten.clear();
}

/** What is shown for a diagnostic: its code, wherever the code came with a link. @param {import("vscode").Diagnostic} diagnostic */
function codeOf(diagnostic) {
  const { code } = diagnostic;
  return typeof code === "object" ? String(code.value) : String(code);
}

/** Diagnostics of a document as plain data. @param {import("vscode").TextDocument} document */
function found(document) {
  return vscode.languages.getDiagnostics(document.uri).map((diagnostic) => ({
    code: codeOf(diagnostic),
    text: document.getText(diagnostic.range),
    message: diagnostic.message,
    source: diagnostic.source,
    severity: vscode.DiagnosticSeverity[diagnostic.severity],
    diagnostic,
  }));
}

/**
 * Wait until the document has a diagnostic whose message matches, on that line where one is given.
 *
 * @param {import("vscode").TextDocument} document
 * @param {RegExp} message
 * @param {number} [line] zero-based
 * @param {number} [limit] milliseconds; a server that has to start first takes longer
 */
function diagnostic(document, message, line, limit) {
  return until(
    `a diagnostic like ${message}`,
    () => found(document).find((item) => message.test(item.message) && (line === undefined || item.diagnostic.range.start.line === line)),
    () => found(document).map((item) => [item.message, item.diagnostic.range.start.line]),
    limit,
  );
}

/** Wait until the document has no diagnostic (of those that match). @param {import("vscode").TextDocument} document @param {RegExp} message */
function clean(document, message = /(?:)/) {
  return until(
    `no diagnostic like ${message}`,
    () => (found(document).some((item) => message.test(item.message)) ? undefined : true),
    () => found(document).map((item) => item.message),
  );
}

/** Quick fixes and other code actions for a range. @param {import("vscode").TextDocument} document @param {import("vscode").Range} range @param {string} [kind] @returns {Promise<import("vscode").CodeAction[]>} */
async function actions(document, range, kind) {
  return vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, range, kind, 20);
}

/** Apply the one code action whose title matches. @param {import("vscode").TextDocument} document @param {import("vscode").Range} range @param {RegExp} title @param {string} [kind] */
async function apply(document, range, title, kind) {
  const offered = await actions(document, range, kind);
  const matching = offered.filter((action) => title.test(action.title));
  assert.equal(matching.length, 1, `one action like ${title} among ${JSON.stringify(offered.map((action) => action.title))}`);
  const [action] = matching;
  assert.ok(action?.edit, "the action carries its edit");
  assert.ok(await vscode.workspace.applyEdit(action.edit));
  return action;
}

/** Completions at a position. @param {import("vscode").TextDocument} document @param {import("vscode").Position} position @param {string} [trigger] */
async function completions(document, position, trigger) {
  /** @type {import("vscode").CompletionList} */
  const list = await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", document.uri, position, trigger, 50);
  return list.items;
}

/** @param {import("vscode").CompletionItem} item */
const labelOf = (item) => (typeof item.label === "string" ? item.label : item.label.label);

/**
 * Insert a completion as the editor does: its range is replaced, its snippet expanded (placeholders keep their text).
 *
 * @param {import("vscode").TextEditor} editor
 * @param {import("vscode").CompletionItem} item
 */
async function insert(editor, item) {
  const text = item.insertText ?? labelOf(item);
  const range = item.range instanceof vscode.Range ? item.range : item.range?.replacing;
  const snippet = typeof text === "string" ? new vscode.SnippetString(text.replace(/[\\$}]/g, "\\$&")) : text;
  assert.ok(await editor.insertSnippet(snippet, range ?? editor.selection));
  for (const edit of item.additionalTextEdits ?? []) {
    assert.ok(await editor.edit((builder) => builder.replace(edit.range, edit.newText)));
  }
  return editor.document.getText();
}

/** Save nothing, close everything. */
async function closeAll() {
  const dirty = () => vscode.workspace.textDocuments.filter((document) => document.isDirty && !document.isClosed);
  await until(
    "a state without unsaved documents",
    async () => {
      for (const document of dirty()) {
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      }
      return dirty().length === 0 ? true : undefined;
    },
    () => dirty().map((document) => document.fileName),
  );
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

module.exports = { actions, apply, callwright, clean, closeAll, codeOf, completions, create, createAt, diagnostic, found, insert, labelOf, open, overwrite, restore, root, until, uriOf };
