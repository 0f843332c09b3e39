/**
 * Which documents the server is attached to, and which of them it is started for.
 *
 * Prompts always, by their language or their name; text, YAML and templates, of which the server itself reads those that
 * contain calls or document tools; transcripts and program sources only in folders with a Callwright configuration. Must
 * not know: the editor's API, the server.
 */

/** The language of prompts and tool calls. */
export const PROMPT_LANGUAGE = "callwright-prompt";

/**
 * Languages of prompts: ours, those that VS Code has for `*.prompt.md`, `*.instructions.md`, `*.agent.md` (older
 * `*.chatmode.md`) and `SKILL.md`, and those of the extensions that own an ending.
 */
export const PROMPT_LANGUAGES = [PROMPT_LANGUAGE, "prompt", "instructions", "chatagent", "chatmode", "skill", "dotprompt", "prompty", "poml"] as const;

/**
 * The names that prompts have, whatever language other extensions give them: files, and folders with all that is in them.
 *
 * They are those of the server (`PROMPT_NAMES` in `callwright/path_patterns.py`), which a test compares them with.
 */
export const PROMPT_NAMES = [
  "*.prompt", "*.prompty", "*.poml", "*.toolcall",
  // VS Code and GitHub
  "*.prompt.md", "*.prompt.yml", "*.prompt.yaml", "*.instructions.md", "*.agent.md", "*.chatmode.md", "copilot-instructions.md",
  ".github/prompts", ".github/instructions", ".github/agents", ".github/chatmodes",
  // what many tools read
  "AGENTS.md", "AGENTS.override.md", "AGENT.md", "SKILL.md", ".agents", ".agent",
  // single tools
  "CLAUDE.md", "CLAUDE.local.md", ".claude/agents", ".claude/commands", ".claude/skills", ".claude/rules", ".claude/output-styles",
  "GEMINI.md", ".gemini/commands", "QWEN.md", "CRUSH.md", "WARP.md", ".codex/prompts", "*.mdc", ".cursorrules", ".cursor/commands",
  ".cursor/agents", ".windsurfrules", ".windsurf/rules", ".windsurf/workflows", ".clinerules", ".roorules", ".roorules-*", ".roomodes",
  ".roo", ".kilocode", ".kilocodemodes", ".goosehints", ".openhands_instructions", ".openhands/microagents", ".junie/guidelines.md",
  ".amazonq/rules", ".continue/rules", ".continue/prompts", ".augment-guidelines", ".augment/rules", ".trae/rules", ".kiro/steering",
  ".opencode/agent", ".opencode/agents", ".opencode/command", ".opencode/commands", ".factory/droids",
  // what authors call them
  "prompts", "system-prompts", "system_prompts", "prompt-templates", "prompt_templates", "system-prompt*", "system_prompt*",
  "*-prompt.md", "*_prompt.md", "*-prompt.txt", "*_prompt.txt", "prompt.md", "prompt.txt",
] as const;

/** Languages of texts that the server reads where they contain calls or document tools. */
export const TEXT_LANGUAGES = ["markdown", "plaintext", "yaml", "mdx", "mdc", "jinja", "jinja-md", "jinja-yaml", "handlebars", "mustache"] as const;

/** The extension that shows the headings of Markdown in the outline, and the languages in which it does. */
export const MARKDOWN_EXTENSION = "vscode.markdown-language-features";
export const MARKDOWN_LANGUAGES = ["markdown", "prompt", "instructions", "chatagent", "chatmode", "skill"] as const;

/** The files in JSON in which models keep their chat templates; those in Jinja are attached to by their language or ending. */
export const CHAT_TEMPLATE_FILES = "**/{tokenizer_config.json,chat_template.json,processor_config.json,*.jinja,*.jinja2,*.j2}";

/** Languages that may contain calls, but only where a configuration selects them. */
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

/** Files that may contain calls, and for which some editors know no language: they are selected by the ending. */
export const CONFIGURED_FILES = "*.{jsonl,ndjson,j2,jinja,jinja2,hbs,handlebars,mustache,log,transcript,chatml,ipynb}";

/** The identifier in VS Code of the language of a cell that is neither code nor Markdown. */
export const RAW_CELL = "raw";

/** Names of the files that can contain a configuration. */
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

/** A pattern that matches a folder's own text, whatever characters its name has. */
export function escapeGlob(path: string): string {
  return path.replace(/[*?[\]{}]/g, "[$&]");
}

/**
 * The documents to attach to, given the folders (paths with forward slashes) that have a configuration.
 *
 * A text is selected whatever it contains, because only the server knows that, and checks it again with each edit.
 * Configuration files are selected, too, so that their diagnostics follow what is typed. The text of every notebook's
 * cells reaches the server, because the client asks the server which to send; which requests are sent about them, and
 * which diagnostics are shown, is decided here.
 */
export function documentSelector(configuredFolders: readonly string[]): (DocumentFilter | CellFilter)[] {
  const names = `**/{${PROMPT_NAMES.join(",")}}`;
  const selector: (DocumentFilter | CellFilter)[] = [
    ...PROMPT_LANGUAGES.flatMap((language) => ["file", "untitled"].map((scheme) => ({ scheme, language }))),
    { scheme: "file", pattern: names },
    { scheme: "file", pattern: `${names}/**` },
    ...TEXT_LANGUAGES.map((language) => ({ scheme: "file", language })),
    { scheme: "file", pattern: "**/callwright.toml" },
    { scheme: "file", pattern: CHAT_TEMPLATE_FILES },
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

/** Languages of documents that activate the extension while no server runs, each of which may contain calls. */
const WAKING = new Set<string>([...PROMPT_LANGUAGES, ...TEXT_LANGUAGES]);

/** So many steps of a path are checked: folders around the workspace may have any name. */
const MAX_STEPS = 6;

/** So much of a text is scanned before there is a server. */
const LOOKED_AT = 1 << 18;

/** Signs of calls in any dialect: markers, keys, fences, a paired tag of several words. */
const CALLING = new RegExp(
  [
    String.raw`[<\[][^\s<>"']{0,40}(?:tool|function|invoke|execute|action|call|python_|start|channel|message|content_)|<[|｜]`,
    String.raw`["'](?:arguments|parameters\w*|input_?schema|function_?\w*|tool_?\w*|args|tool_?input|properties)\\?["']`,
    String.raw`tool_?calls?\b|(?:functions?|functools) ?[\[.{]|\x60\x60\x60+ *(?:tool|mswea)|^(?:Action|Thought|Discussion|tool_name)\b|>>>`,
    String.raw`</[a-z]+[_-][\w-]+>`,
  ].join("|"),
  "im",
);

/** A chat template: a tag of Jinja that names the messages. */
const TEMPLATING = /\{%[^%]{0,80}\bmessages\b/;

/** Signs of documented tools: a list of parameters, definitions in YAML or a program, a signature. */
const DOCUMENTING = new RegExp(
  [
    String.raw`^[\s>*_\x60#-]*(?:parameters?|arguments?|args|inputs?|attributes)\b`,
    String.raw`[(\[](?:required|optional)\b|\b(?:required|optional)\)`,
    String.raw`^\s*(?:parameters|input_?schema|tools|functions):|\btype \w+ = \(|^\s*(?:async )?def \w+\(|\(FREEFORM\)`,
  ].join("|"),
  "im",
);

/** What is checked of a document before there is a server. */
export interface Opened {
  readonly languageId: string;
  /** The path, with forward slashes; empty for a document that is not a file. */
  readonly path: string;
}

/** Whether a document is a prompt by its language or its name. */
export function isPrompt({ languageId, path }: Opened): boolean {
  if (PROMPT_LANGUAGES.some((language) => language === languageId)) {
    return true;
  }
  const steps = path.toLowerCase().split("/").slice(-MAX_STEPS);
  return PROMPT_NAMES.some((name) => {
    const wanted = name.toLowerCase();
    return steps.some((step, at) => {
      if (wanted.startsWith("*")) {
        return step.endsWith(wanted.slice(1));
      }
      return wanted.endsWith("*") ? step.startsWith(wanted.slice(0, -1)) : step === wanted || `${step}/${steps[at + 1] ?? ""}` === wanted;
    });
  });
}

/**
 * Whether a server is started for a document with this text, or for this text in it.
 *
 * It runs for every text that is opened, so it is quick and permissive: the server decides what is in a text.
 */
export function isWorthAServer(document: Opened, text: string): boolean {
  if (isPrompt(document)) {
    return true;
  }
  if (!WAKING.has(document.languageId)) {
    return false;
  }
  const looked = text.slice(0, LOOKED_AT);
  return CALLING.test(looked) || DOCUMENTING.test(looked) || TEMPLATING.test(looked);
}
