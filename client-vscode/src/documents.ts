/**
 * Which documents the server is attached to.
 *
 * Prompts always; text, transcripts, templates and program sources only in folders with a Callwright configuration. What
 * is diagnosed among those, the server decides. Must not know: the editor's API, the server.
 */

/** The language of prompts and tool calls. */
export const PROMPT_LANGUAGE = "callwright-prompt";

/** Prompts by their ending, whatever language other extensions give them. */
export const PROMPT_FILES = "**/*.{prompty,poml}";

/** Languages that may hold calls, but only where a configuration says so. */
export const CONFIGURED_LANGUAGES = [
  "markdown",
  "plaintext",
  "json",
  "jsonc",
  "jsonl",
  "yaml",
  "xml",
  "python",
  "javascript",
  "javascriptreact",
  "typescript",
  "typescriptreact",
  "jinja",
  "handlebars",
] as const;

/** Files that may hold calls, and for which some editors know no language: then the ending has to do. */
export const CONFIGURED_FILES = "*.{jsonl,ndjson,j2,jinja,jinja2,hbs,handlebars,mustache,log,transcript,chatml,ipynb}";

/** What VS Code calls the language of a cell that is neither code nor Markdown. */
export const RAW_CELL = "raw";

/** Names of the files that can hold a configuration. */
export const CONFIGURATION_FILES = ["callwright.toml", "pyproject.toml"] as const;

/** One entry of a document selector, as language clients understand it. */
export interface DocumentFilter {
  readonly scheme: string;
  readonly language?: string;
  readonly pattern?: string;
}

/** The same for cells: the pattern is that of the notebook's file. */
export interface CellFilter {
  readonly notebook: { readonly notebookType: string; readonly scheme: string; readonly pattern?: string };
  readonly language: string;
  readonly pattern?: undefined;
}

/** A pattern that matches a folder's own text, whatever characters its name holds. */
export function escapeGlob(path: string): string {
  return path.replace(/[*?[\]{}]/g, "[$&]");
}

/**
 * The documents to attach to, given the folders (paths with forward slashes) that have a configuration.
 *
 * Configuration files themselves are attached to, so that their own findings follow what is typed. The text of every
 * notebook's cells reaches the server, since it is the server that a client asks about that; what the server is asked
 * about, and what it says, is decided here.
 */
export function documentSelector(configuredFolders: readonly string[]): (DocumentFilter | CellFilter)[] {
  const selector: (DocumentFilter | CellFilter)[] = [
    { scheme: "file", language: PROMPT_LANGUAGE },
    { scheme: "untitled", language: PROMPT_LANGUAGE },
    { scheme: "file", pattern: PROMPT_FILES },
    { scheme: "file", pattern: "**/callwright.toml" },
    { notebook: { notebookType: "*", scheme: "file" }, language: PROMPT_LANGUAGE },
  ];
  for (const folder of configuredFolders) {
    const below = escapeGlob(folder.replace(/\/+$/, ""));
    for (const language of CONFIGURED_LANGUAGES) {
      selector.push({ scheme: "file", language, pattern: `${below}/**` });
    }
    for (const language of [...CONFIGURED_LANGUAGES, RAW_CELL]) {
      selector.push({ notebook: { notebookType: "*", scheme: "file", pattern: `${below}/**` }, language });
    }
    selector.push({ scheme: "file", pattern: `${below}/**/${CONFIGURED_FILES}` });
    selector.push({ scheme: "file", pattern: `${below}/**/pyproject.toml` });
  }
  return selector;
}

const TOOL_TABLE = /^[ \t]*\[[ \t]*(?:tool|"tool"|'tool')[ \t]*\.[ \t]*(?:callwright|"callwright"|'callwright')[ \t]*[\].]/m;

/** Whether the text of a file with this name configures Callwright. */
export function isConfiguration(fileName: string, text: string): boolean {
  return fileName === "callwright.toml" || (fileName === "pyproject.toml" && TOOL_TABLE.test(text));
}

/** Whether two sets of folders are the same, in any order. */
export function sameFolders(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && [...left].every((folder) => right.has(folder));
}
