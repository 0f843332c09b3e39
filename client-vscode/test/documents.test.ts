/** Which documents the server is attached to. */

import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { documentSelector, escapeGlob, isConfiguration, sameFolders } from "../src/documents";

suite("documents", () => {
  test("without a configuration only prompts and configuration files are attached to", () => {
    const languages = documentSelector([]).map((filter) => filter.language ?? filter.pattern);
    const prompts = ["callwright-prompt", "callwright-prompt"];
    assert.deepEqual(languages, [...prompts, "**/*.{prompty,poml}", "**/callwright.toml", "callwright-prompt"]);
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
