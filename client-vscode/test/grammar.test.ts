/** Runs the Markdown cases of `test/grammar/` through the engine that editors colour text with. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

import { loadWASM, OnigScanner, OnigString } from "vscode-oniguruma";
import { INITIAL, type IGrammar, type IRawGrammar, Registry, parseRawGrammar } from "vscode-textmate";

const ROOT = path.resolve(__dirname, "..", "..");
const GRAMMAR = path.join(ROOT, "syntaxes", "callwright-prompt.tmLanguage.json");
const FENCE = /^(`{3,})prompt\n([^]*?)^\1$/gm;
const ANNOTATION = /^( *)(\^+) (\S+)$/;

interface Case {
  readonly title: string;
  readonly lines: readonly { readonly text: string; readonly marks: readonly Mark[] }[];
}

interface Mark {
  readonly start: number;
  readonly end: number;
  readonly scope: string;
}

function readCases(markdown: string): Case[] {
  return [...markdown.matchAll(FENCE)].map((match) => {
    const heading = [...markdown.slice(0, match.index).matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? "";
    const line = markdown.slice(0, match.index).split("\n").length;
    const lines: { text: string; marks: Mark[] }[] = [];
    for (const text of (match[2] ?? "").replace(/\n$/, "").split("\n")) {
      const annotation = ANNOTATION.exec(text);
      if (annotation === null) {
        lines.push({ text, marks: [] });
      } else {
        const start = (annotation[1] ?? "").length;
        lines.at(-1)?.marks.push({ start, end: start + (annotation[2] ?? "").length, scope: annotation[3] ?? "" });
      }
    }
    return { title: `${heading} (line ${line})`, lines };
  });
}

async function loadGrammar(): Promise<IGrammar> {
  const wasm = readFileSync(path.join(ROOT, "node_modules", "vscode-oniguruma", "release", "onig.wasm"));
  await loadWASM(wasm);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new OnigScanner(sources),
      createOnigString: (text) => new OnigString(text),
    }),
    loadGrammar: (scope) =>
      Promise.resolve(
        // Other languages' grammars are the editor's; an empty one stands for them.
        scope === "text.callwright-prompt" ? parseRawGrammar(readFileSync(GRAMMAR, "utf8"), GRAMMAR) : ({ scopeName: scope, patterns: [] } as unknown as IRawGrammar),
      ),
  });
  const grammar = await registry.loadGrammar("text.callwright-prompt");
  assert.ok(grammar);
  return grammar;
}

suite("grammar", async () => {
  const grammar = await loadGrammar();
  const folder = path.join(ROOT, "test", "grammar");
  for (const file of readdirSync(folder)) {
    for (const { title, lines } of readCases(readFileSync(path.join(folder, file), "utf8"))) {
      test(`${file}: ${title}`, () => {
        let state = INITIAL;
        let marked = 0;
        for (const { text, marks } of lines) {
          const result = grammar.tokenizeLine(text, state);
          state = result.ruleStack;
          for (const mark of marks) {
            marked++;
            for (let column = mark.start; column < mark.end; column++) {
              const scopes = result.tokens.find((token) => token.startIndex <= column && column < token.endIndex)?.scopes ?? [];
              const wanted = mark.scope === "text.callwright-prompt" ? scopes.length === 1 && scopes[0] === mark.scope : scopes.some((scope) => scope.startsWith(mark.scope));
              assert.ok(wanted, `column ${column} of ${JSON.stringify(text)} has ${scopes.join(" ")}, not ${mark.scope}`);
            }
          }
        }
        assert.ok(marked > 0, "a case says at least one thing");
      });
    }
  }

  test("a long line of openers is coloured in linear time", () => {
    const time = (n: number): number => {
      const start = process.hrtime.bigint();
      grammar.tokenizeLine("<a ".repeat(n), INITIAL);
      return Number(process.hrtime.bigint() - start) / 1e6;
    };
    time(500);
    assert.ok(time(4000) < 5000);
  });
});
