/** A prompt that documents its tools needs no configuration: everything works on its declarations and its calls together. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { apply, callwright, clean, completions, create, createAt, diagnostic, labelOf, until } = require("../tools.cjs");

const TOOLS = `You can use these tools.

# Tools

## read_file
Description: Reads a file.
Parameters:
- path: (required) The path of the file
- mode: (optional) One of \`text\` or \`binary\`
- limit: (optional, integer) How many lines, default 100
Usage:
<read_file>
<path>File path here</path>
</read_file>

## write_file
Description: Writes a file.
Parameters:
- path: (required) The path of the file
- content: (required) What to write
Usage:
<write_file>
<path>File path here</path>
<content>Content here</content>
</write_file>

## list_files
Description: Lists the files of a folder.
Parameters:
- path: (required) The path of the folder
Usage:
<list_files>
<path>Folder path here</path>
</list_files>

# Examples

`;
const CALLS = `<read_file>
<path>a.txt</path>
<mode>text</mode>
</read_file>

<write_file>
<pth>a.txt</pth>
<content>b</content>
</write_file>
`;

/** @typedef {import("vscode").Location} Location */

/** The texts that ranges cover. @param {import("vscode").TextDocument} document @param {readonly import("vscode").Range[]} ranges */
const texts = (document, ranges) => ranges.map((range) => `${range.start.line}: ${document.getText(range)}`);

/** A position in the document: in the n-th place of a text. @param {import("vscode").TextDocument} document @param {string} text @param {number} number */
function place(document, text, number = 0) {
  let at = -1;
  for (let index = 0; index <= number; index++) {
    at = document.getText().indexOf(text, at + 1);
  }
  assert.ok(at >= 0, text);
  return document.positionAt(at + text.length - 1);
}

/** Ask a provider until it answers with something. @template T @param {string} command @param {unknown[]} words @returns {Promise<T>} */
const ask = (command, ...words) =>
  until(command, async () => {
    /** @type {T} */
    const given = await vscode.commands.executeCommand(command, ...words);
    return Array.isArray(given) && given.length === 0 ? undefined : given;
  });

module.exports = async () => {
  const api = await callwright();
  const { document } = await create("plain/system.prompt", `${TOOLS}${CALLS}`);
  await until("the status", () => (api.statusText() === "$(tools) any dialect · 3 tools from this file" ? true : undefined), () => api.statusText());
  assert.match(api.statusDetails().join("\n"), /^Tools: 3 from this file$/m);
  assert.match(api.statusDetails().join("\n"), /^Configuration: none$/m);

  const misspelt = await diagnostic(document, /`write_file` has no parameter `pth`; did you mean `path`\?/);
  assert.equal(misspelt.text, "pth");

  for (const [text, number, said] of /** @type {[string, number, RegExp][]} */ ([
    ["## read_file", 0, /Reads a file/],
    ["<read_file", 1, /Reads a file/],
    ["- limit", 0, /parameter of `read_file`[^]*How many lines/],
    ["<mode", 0, /argument of `read_file`[^]*One of/],
  ])) {
    /** @type {import("vscode").Hover[]} */
    const hovers = await ask("vscode.executeHoverProvider", document.uri, place(document, text, number));
    assert.match(hovers.flatMap((hover) => hover.contents).map((part) => (typeof part === "string" ? part : part.value)).join("\n"), said);
  }

  /** @type {import("vscode").SignatureHelp} */
  const help = await ask("vscode.executeSignatureHelpProvider", document.uri, place(document, "<path>a", 0));
  assert.equal(help.signatures[0]?.label, 'read_file(path: any, mode?: "text" | "binary", limit?: integer)');

  const call = place(document, "<read_file", 1);
  /** @type {Location[]} */
  const defined = await ask("vscode.executeDefinitionProvider", document.uri, call);
  assert.deepEqual(texts(document, defined.map((each) => each.range)), ["4: read_file"]);
  /** @type {Location[]} */
  const bullet = await ask("vscode.executeDefinitionProvider", document.uri, place(document, "<mode", 0));
  assert.deepEqual(texts(document, bullet.map((each) => each.range)), ["8: mode"]);

  for (const at of [call, place(document, "## read_file")]) {
    /** @type {Location[]} */
    const references = await ask("vscode.executeReferenceProvider", document.uri, at);
    assert.deepEqual(texts(document, references.map((each) => each.range)), ["4: read_file", "11: read_file", "37: read_file"]);
    /** @type {import("vscode").DocumentHighlight[]} */
    const shown = await ask("vscode.executeDocumentHighlights", document.uri, at);
    assert.equal(shown.length, 5);
  }

  /** @type {import("vscode").DocumentSymbol[]} */
  const symbols = await ask("vscode.executeDocumentSymbolProvider", document.uri);
  assert.deepEqual(symbols.map((symbol) => [symbol.name, vscode.SymbolKind[symbol.kind]]), [["Tools", "String"], ["Examples", "String"]]);
  assert.deepEqual(
    symbols
      .flatMap((section) => section.children)
      .map((symbol) => [symbol.name, vscode.SymbolKind[symbol.kind], symbol.children.map((child) => child.name).join(" ")]),
    [
      ["read_file", "Function", "path mode limit read_file"],
      ["write_file", "Function", "path content write_file"],
      ["list_files", "Function", "path list_files"],
      ["read_file", "Function", "path mode"],
      ["write_file", "Function", "pth content"],
    ],
  );

  /** @type {import("vscode").SemanticTokensLegend} */
  const legend = await vscode.commands.executeCommand("vscode.provideDocumentSemanticTokensLegend", document.uri);
  const bit = 2 ** legend.tokenModifiers.indexOf("declaration");
  /** @type {import("vscode").SemanticTokens} */
  const tokens = await vscode.commands.executeCommand("vscode.provideDocumentSemanticTokens", document.uri);
  const declared = [];
  for (let at = 0, line = 0, column = 0; at < tokens.data.length; at += 5) {
    const [down = 0, right = 0, length = 0, kind = 0, modifiers = 0] = tokens.data.slice(at, at + 5);
    column = down > 0 ? right : column + right;
    line += down;
    if ((modifiers & bit) > 0) {
      declared.push(`${legend.tokenTypes[kind]} ${document.getText(new vscode.Range(line, column, line, column + length))}`);
    }
  }
  assert.deepEqual(declared, [
    ...["function read_file", "parameter path", "parameter mode", "parameter limit"],
    ...["function write_file", "parameter path", "parameter content", "function list_files", "parameter path"],
  ]);

  /** @type {import("vscode").InlayHint[]} */
  const hints = await ask("vscode.executeInlayHintProvider", document.uri, new vscode.Range(place(document, "# Examples"), place(document, "</write_file>", 1)));
  assert.deepEqual(hints.map((hint) => hint.label), ["limit = 100"]);

  await apply(document, misspelt.diagnostic.range, /^Rename to `path`$/, "quickfix");
  await clean(document);

  /** @type {import("vscode").WorkspaceEdit} */
  const tool = await vscode.commands.executeCommand("vscode.executeDocumentRenameProvider", document.uri, place(document, "## read_file"), "open_file");
  assert.ok(await vscode.workspace.applyEdit(tool));
  /** @type {import("vscode").WorkspaceEdit} */
  const parameter = await vscode.commands.executeCommand("vscode.executeDocumentRenameProvider", document.uri, place(document, "<path>a", 0).translate(0, -2), "file");
  assert.ok(await vscode.workspace.applyEdit(parameter));
  const text = document.getText();
  assert.match(text, /## open_file\n[^]*- file: [^]*<open_file>\n<file>File path here<\/file>\n<\/open_file>/);
  assert.match(text, /# Examples\n\n<open_file>\n<file>a\.txt<\/file>\n<mode>text<\/mode>\n<\/open_file>/);
  assert.match(text, /<write_file>\n<path>a\.txt<\/path>/);
  assert.doesNotMatch(text, /read_file/);
  await clean(document);

  const typed = await createAt("plain/typed.prompt", `${TOOLS}<‸`);
  const offered = (await completions(typed.editor.document, typed.position)).map(labelOf);
  assert.ok(["read_file", "write_file", "list_files"].every((name) => offered.includes(name)), offered.join(", "));
  const inside = await createAt("plain/inside.prompt", `${TOOLS}<read_file>\n<path>a</path>\n<‸`);
  const parameters = (await completions(inside.editor.document, inside.position)).map(labelOf);
  assert.deepEqual(parameters.filter((name) => !name.startsWith("/")).sort(), ["limit", "mode"]);
};
