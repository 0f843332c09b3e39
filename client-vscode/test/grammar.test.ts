/** Runs the Markdown cases of `test/grammar/` through the engine that editors colour text with. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

import { loadWASM, OnigScanner, OnigString } from "vscode-oniguruma";
import { INITIAL, type IGrammar, type IRawGrammar, Registry, parseRawGrammar } from "vscode-textmate";

const ROOT = path.resolve(__dirname, "..", "..");
const PROMPT = "text.callwright-prompt";
const MARKERS = "text.callwright-marks";
const MARKDOWN = "text.html.markdown";
const FENCE = /^(`{3,})(prompt|markdown)\n([^]*?)^\1$/gm;

/** As much of Markdown's grammar as the injected rules need; the real one is the editor's. */
const HOST = {
  scopeName: MARKDOWN,
  patterns: [
    { begin: "^```py$", end: "^```$", contentName: "meta.embedded.block.python" },
    { begin: "^```$", end: "^```$", name: "markup.fenced_code.block" },
    { match: "`[^`]*`", name: "markup.inline.raw" },
    { begin: "<!--", end: "-->", name: "comment.block" },
    { match: "</?[a-z]+", name: "entity.name.tag" },
  ],
};
const ANNOTATION = /^( *)(\^+) (\S+)$/;

interface Case {
  readonly title: string;
  readonly scope: string;
  readonly lines: readonly { readonly text: string; readonly annotations: readonly Annotation[] }[];
}

interface Annotation {
  readonly start: number;
  readonly end: number;
  readonly scope: string;
}

function readCases(markdown: string): Case[] {
  return [...markdown.matchAll(FENCE)].map((match) => {
    const heading = [...markdown.slice(0, match.index).matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? "";
    const line = markdown.slice(0, match.index).split("\n").length;
    const lines: { text: string; annotations: Annotation[] }[] = [];
    for (const text of (match[3] ?? "").replace(/\n$/, "").split("\n")) {
      const annotation = ANNOTATION.exec(text);
      if (annotation === null) {
        lines.push({ text, annotations: [] });
      } else {
        const start = (annotation[1] ?? "").length;
        lines.at(-1)?.annotations.push({ start, end: start + (annotation[2] ?? "").length, scope: annotation[3] ?? "" });
      }
    }
    return { title: `${heading} (line ${line})`, scope: match[2] === "markdown" ? MARKDOWN : PROMPT, lines };
  });
}

async function loadGrammars(): Promise<ReadonlyMap<string, IGrammar>> {
  const wasm = readFileSync(path.join(ROOT, "node_modules", "vscode-oniguruma", "release", "onig.wasm"));
  await loadWASM(wasm);
  const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    readonly contributes: { readonly grammars: readonly { readonly scopeName: string; readonly path: string; readonly injectTo?: readonly string[] }[] };
  };
  const { grammars } = manifest.contributes;
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new OnigScanner(sources),
      createOnigString: (text) => new OnigString(text),
    }),
    getInjections: (scope) => grammars.filter(({ injectTo }) => injectTo?.includes(scope)).map(({ scopeName }) => scopeName),
    loadGrammar: (scope) => {
      const own = grammars.find(({ scopeName }) => scopeName === scope);
      if (own !== undefined) {
        const file = path.join(ROOT, own.path);
        return Promise.resolve(parseRawGrammar(readFileSync(file, "utf8"), file));
      }
      // Other languages' grammars are the editor's; one that leaves a string open takes their place.
      const open = { scopeName: scope, patterns: [{ begin: '"""', end: '"""', name: "string.open" }] };
      return Promise.resolve((scope === MARKDOWN ? HOST : open) as unknown as IRawGrammar);
    },
  });
  const loaded = new Map<string, IGrammar>();
  for (const scope of [PROMPT, MARKDOWN]) {
    const grammar = await registry.loadGrammar(scope);
    assert.ok(grammar);
    loaded.set(scope, grammar);
  }
  return loaded;
}

suite("grammar", async () => {
  const grammars = await loadGrammars();
  const folder = path.join(ROOT, "test", "grammar");
  for (const file of readdirSync(folder)) {
    for (const { title, scope, lines } of readCases(readFileSync(path.join(folder, file), "utf8"))) {
      test(`${file}: ${title}`, () => {
        const grammar = grammars.get(scope);
        assert.ok(grammar);
        let state = INITIAL;
        let marked = 0;
        for (const { text, annotations } of lines) {
          const result = grammar.tokenizeLine(text, state);
          state = result.ruleStack;
          for (const expected of annotations) {
            marked++;
            for (let column = expected.start; column < expected.end; column++) {
              const scopes = result.tokens.find((token) => token.startIndex <= column && column < token.endIndex)?.scopes ?? [];
              const wanted = expected.scope === scope ? scopes.length === 1 && scopes[0] === expected.scope : scopes.some((scope) => scope.startsWith(expected.scope));
              assert.ok(wanted, `column ${column} of ${JSON.stringify(text)} has ${scopes.join(" ")}, not ${expected.scope}`);
            }
          }
        }
        assert.ok(marked > 0, "a case has at least one annotation");
      });
    }
  }

  for (const opener of ["<a ", "<|", "<｜", "[TOOL_CALLS]a", "<function=", "<invoke name=\"", "{\"a\": ", "[a(b=", "<!-- callwright: ", "`", "{{"]) {
    test(`a long line of ${JSON.stringify(opener)} is coloured in linear time`, () => {
      const grammar = grammars.get(PROMPT);
      assert.ok(grammar);
      const tokens = (n: number): number => grammar.tokenizeLine(opener.repeat(n), INITIAL, 20_000).tokens.length;
      assert.ok(tokens(200) > 0);
      const { stoppedEarly } = grammar.tokenizeLine(opener.repeat(4000), INITIAL, 20_000);
      assert.equal(stoppedEarly, false);
    });
  }

  test("what is injected into other grammars matches within a line", () => {
    const markers = JSON.parse(readFileSync(path.join(ROOT, "syntaxes", "callwright-marks.tmLanguage.json"), "utf8")) as object;
    assert.ok(!/"(?:begin|while)":/.test(JSON.stringify(markers)));
    assert.ok(JSON.stringify(markers).includes(MARKERS));
  });
});
