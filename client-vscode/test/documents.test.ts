/** Which documents the server is attached to. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

import { PROMPT_LANGUAGES, PROMPT_NAMES, TEXT_LANGUAGES, documentSelector, escapeGlob, isConfiguration, isPrompt, isWorthAServer, sameFolders } from "../src/documents";
import { isAssociated, ownerOf } from "../src/neighbours";

const SERVER = path.resolve(__dirname, "..", "..", "..", "server");
const MARKDOWN = { languageId: "markdown", path: "/w/README.md" };

interface Index {
  readonly dialects: readonly { readonly name: string; readonly openers: readonly string[] }[];
}

suite("documents", () => {
  test("without a configuration prompts are attached to by language and by name, and texts wherever they are", () => {
    const selector = documentSelector([]);
    for (const language of ["prompt", "instructions", "chatagent", "skill", "dotprompt", "prompty"]) {
      for (const scheme of ["file", "untitled"]) {
        assert.ok(selector.some((filter) => filter.language === language && "scheme" in filter && filter.scheme === scheme), language);
      }
    }
    const [names] = selector.flatMap((filter) => (filter.pattern?.includes("AGENTS.md") === true ? [filter.pattern] : []));
    for (const name of ["*.prompt", "*.prompty", "*.prompt.md", "*.agent.md", "SKILL.md", "CLAUDE.md", "*.mdc", ".cursorrules"]) {
      assert.ok(names?.includes(name), name);
    }
    for (const language of ["markdown", "plaintext", "yaml", "jinja", "handlebars"]) {
      assert.ok(selector.some((filter) => filter.language === language && filter.pattern === undefined), language);
    }
    assert.ok(!selector.some((filter) => filter.language === "python" || filter.language === "json"));
  });

  test("chat templates are attached to by their names, and wake the server by what they render", () => {
    const patterns = documentSelector([]).map((filter) => filter.pattern ?? "");
    for (const name of ["tokenizer_config.json", "chat_template.json", "processor_config.json", "*.jinja"]) {
      assert.ok(patterns.some((pattern) => pattern.includes(name)), name);
    }
    const template = { languageId: "plaintext", path: "/w/chat_template.jinja" };
    assert.ok(isWorthAServer(template, "{%- for m in messages %}{{ m.content }}{% endfor %}"));
    assert.ok(!isWorthAServer(template, "{% for m in posts %}{{ m.title }}{% endfor %}"));
  });

  test("the names of prompts are those of the server", () => {
    const source = readFileSync(path.join(SERVER, "callwright", "path_patterns.py"), "utf8");
    const named = (from: string, to: string): string[] => {
      const body = source.split(from)[1]?.split(to)[0] ?? "";
      return [...body.replace(/#.*$|f"[^"]*"/gm, "").matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? "");
    };
    const names = [...named("\nPROMPT_ENDINGS = (", ")\n").map((ending) => `*${ending}`), ...named("\nPROMPT_NAMES = (", "\n)")];
    assert.deepEqual([...PROMPT_NAMES].sort(), names.sort());
  });

  test("a prompt is one by its language or by its name", () => {
    for (const languageId of PROMPT_LANGUAGES) {
      assert.ok(isPrompt({ languageId, path: "" }), languageId);
    }
    for (const file of ["/w/AGENTS.md", "/w/.github/review.prompt.md", "/w/a.mdc", "/w/skills/pdf/SKILL.md", "/w/a.prompt"]) {
      assert.ok(isPrompt({ languageId: "plaintext", path: file }), file);
    }
    for (const file of ["/w/README.md", "/w/prompter.md", "", "/w/agents.py"]) {
      assert.ok(!isPrompt({ languageId: "markdown", path: file }), file);
    }
  });

  test("a text is worth a server where it holds the opener of any dialect", () => {
    const index = JSON.parse(readFileSync(path.join(SERVER, "callwright", "_index.json"), "utf8")) as Index;
    // A fence of a program is a call only after a thought, which is an opener itself.
    const isTelling = (opener: string) => opener.replace(/\P{L}/gu, "").length > 4 && !/^```(?:python|shell)$/.test(opener);
    const telling = index.dialects.flatMap(({ name, openers }) => openers.filter(isTelling).map((opener) => [name, opener] as const));
    assert.ok(telling.length > 50);
    for (const [name, opener] of telling) {
      assert.ok(isWorthAServer(MARKDOWN, `Answer like this:\n\n${opener}`), `${name}: ${opener}`);
    }
    assert.ok(isWorthAServer(MARKDOWN, "<read_file>\n<path>a.py</path>\n</read_file>\n"));
  });

  test("a text is worth a server where it documents tools in any style", () => {
    const page = readFileSync(path.join(SERVER, "docs", "declarations.md"), "utf8");
    const samples = [...page.matchAll(/^(`{3,})\w+ style=(?!none)[\w-]+\n([\s\S]*?)^\1$/gm)].map(([, , sample]) => sample ?? "");
    assert.ok(samples.length > 8);
    for (const sample of samples) {
      assert.ok(isWorthAServer(MARKDOWN, sample), sample);
    }
  });

  test("other texts start no server, and neither does a language that holds no prompts", () => {
    const readme = "# Project\n\nInstall it with `pip install project`.\n\n- fast\n- small\n\n```python\nimport project\n```\n<img src='a.png'>\n";
    assert.ok(!isWorthAServer(MARKDOWN, readme));
    assert.ok(!isWorthAServer({ languageId: "python", path: "/w/a.py" }, "<tool_call>"));
    for (const languageId of TEXT_LANGUAGES) {
      assert.ok(isWorthAServer({ languageId, path: "/w/a.txt" }, "<tool_call>"), languageId);
    }
  });

  test("an ending that another extension knows is that extension's", () => {
    const own = { packageJSON: { contributes: { languages: [{ id: "callwright-prompt", extensions: [".prompt"] }] } } };
    const other = { packageJSON: { contributes: { languages: [{ id: "dotprompt", extensions: [".prompt"] }] } } };
    assert.equal(ownerOf([own, { packageJSON: {} }, { packageJSON: undefined }]), undefined);
    assert.equal(ownerOf([own, other]), "dotprompt");
    assert.ok(isAssociated({ "*.prompt": "callwright-prompt" }));
    assert.ok(!isAssociated({ "*.prompt": "dotprompt", "*.md": "callwright-prompt" }));
  });

  test("with a configuration the languages that may hold calls come with it, below its folder", () => {
    const selector = documentSelector(["/w/a"]);
    for (const language of ["markdown", "json", "jsonl", "plaintext", "yaml", "python", "typescript"]) {
      assert.ok(
        selector.some((filter) => filter.language === language && filter.pattern === "/w/a/**"),
        language,
      );
    }
    assert.ok(selector.some((filter) => filter.pattern?.endsWith("pyproject.toml")));
    assert.ok(!selector.some((filter) => filter.language === "toml"));
  });

  test("cells of notebooks are attached to below such a folder", () => {
    const selector = documentSelector(["/w/a"]);
    for (const language of ["markdown", "python", "raw"]) {
      assert.ok(
        selector.some(
          (filter) =>
            "notebook" in filter && filter.language === language && filter.notebook.pattern === "/w/a/**" && filter.notebook.scheme === "file",
        ),
        language,
      );
    }
  });

  test("a folder's name is taken literally", () => {
    assert.equal(escapeGlob("/w/[id]/{a}*?"), "/w/[[]id[]]/[{]a[}][*][?]");
  });

  test("the root folder needs no second slash", () => {
    assert.ok(documentSelector(["/"]).some((filter) => filter.pattern === "/**"));
  });

  test("a pyproject.toml counts where it has our table", () => {
    assert.ok(isConfiguration("callwright.toml", ""));
    assert.ok(isConfiguration("pyproject.toml", "[project]\nname = 'x'\n\n[tool.callwright]\nstrict = true\n"));
    assert.ok(isConfiguration("pyproject.toml", '[ tool . "callwright" ]'));
    assert.ok(isConfiguration("pyproject.toml", "[tool.callwright.severity]\n"));
    assert.ok(!isConfiguration("pyproject.toml", "[tool.callwright-other]\n# [tool.callwright]\n"));
    assert.ok(!isConfiguration("package.json", "[tool.callwright]"));
  });

  test("folders are compared as sets", () => {
    assert.ok(sameFolders(["a", "b"], ["b", "a"]));
    assert.ok(!sameFolders(["a"], ["a", "b"]));
    assert.ok(!sameFolders(["a", "c"], ["a", "b"]));
  });
});
