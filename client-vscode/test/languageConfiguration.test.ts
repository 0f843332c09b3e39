/** What the editor does during typing: words, folding, indentation, as it reads `language-configuration.json`. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

type Pattern = string | { readonly pattern: string; readonly flags: string };

interface Configuration {
  readonly wordPattern: Pattern;
  readonly autoClosingPairs: readonly { readonly open: string; readonly close: string }[];
  readonly autoCloseBefore: string;
  readonly folding: { readonly markers: { readonly start: string; readonly end: string } };
  readonly indentationRules: { readonly increaseIndentPattern: string; readonly decreaseIndentPattern: string };
  readonly onEnterRules: readonly { readonly beforeText: string; readonly afterText: string }[];
}

const configuration = JSON.parse(readFileSync(path.resolve(__dirname, "..", "..", "language-configuration.json"), "utf8")) as Configuration;

/** A pattern as the editor compiles it: a plain string has no flags. */
function compiled(pattern: Pattern, more = ""): RegExp {
  return typeof pattern === "string" ? new RegExp(pattern, more) : new RegExp(pattern.pattern, pattern.flags + more);
}

suite("language configuration", () => {
  test("a word is a whole tool's name, in any script, without what is around it", () => {
    const words = (text: string): string[] => [...text.matchAll(compiled(configuration.wordPattern, "g"))].map(([word]) => word);
    assert.deepEqual(words("<read_file><größe>3.5</größe></read_file>"), ["read_file", "größe", "3.5", "größe", "read_file"]);
    assert.deepEqual(words('"fs.read-file": "a", x.'), ["fs.read-file", "a", "x"]);
    assert.deepEqual(words("functions.read_file:0 {{ name }}"), ["functions.read_file", "0", "name"]);
    assert.deepEqual(words("pLp{}"), ["pLp"]);
  });

  test("managed blocks and regions fold", () => {
    const { start, end } = configuration.folding.markers;
    for (const line of ["<!-- callwright:tools dialect=xml-json -->", "  {# callwright:tools #}", "<!-- #region a -->"]) {
      assert.match(line, compiled(start));
      assert.doesNotMatch(line, compiled(end));
    }
    for (const line of ["<!-- /callwright:tools -->", "{#- /callwright:tools -#}", "<!-- endregion -->"]) {
      assert.match(line, compiled(end));
      assert.doesNotMatch(line, compiled(start));
    }
    assert.doesNotMatch("<!-- callwright: ignore[TC301] -->", compiled(start));
  });

  test("a new line inside a pair is indented", () => {
    const breaks = (before: string, after: string): boolean => configuration.onEnterRules.some(({ beforeText, afterText }) => compiled(beforeText).test(before) && compiled(afterText).test(after));
    assert.ok(breaks("<read_file>", "</read_file>"));
    assert.ok(breaks('<invoke name="a">', "</invoke>"));
    assert.ok(breaks('<debug_launch>{"args": {', "}}"));
    assert.ok(!breaks("<br/>", "</p>"));
    assert.ok(!breaks("if a <b and c>", "d"));
    const { increaseIndentPattern: more, decreaseIndentPattern: less } = configuration.indentationRules;
    assert.match("  <arguments>", compiled(more));
    assert.doesNotMatch("<path>a</path>", compiled(more));
    assert.match("  </arguments>", compiled(less));
  });

  test("pairs close in front of a closing tag", () => {
    assert.ok(configuration.autoCloseBefore.includes("<"));
    for (const { open, close } of configuration.autoClosingPairs) {
      assert.ok(open !== "" && close !== "");
    }
  });
});
