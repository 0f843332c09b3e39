/** Every text for the user is translated: the same keys in every language, the same placeholders, and French set as French is. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

import * as l10n from "@vscode/l10n";
import { getL10nJson } from "@vscode/l10n-dev";
import { Linter } from "eslint";

import { statusText } from "../src/status";

const ROOT = path.resolve(__dirname, "..", "..");

type Words = Readonly<Record<string, string>>;

function read(file: string): Words {
  return JSON.parse(readFileSync(path.join(ROOT, file), "utf8")) as Words;
}

/** Every string of a JSON value, with the keys that lead to it. */
function* strings(value: unknown, at: readonly string[] = []): Generator<{ readonly at: readonly string[]; readonly text: string }> {
  if (typeof value === "string") {
    yield { at, text: value };
  } else if (typeof value === "object" && value !== null) {
    for (const [key, below] of Object.entries(value)) {
      yield* strings(below, [...at, key]);
    }
  }
}

/** What a translation must keep: placeholders, code, the addresses of links. */
function kept(text: string): string[] {
  return [...text.matchAll(/\{\d+\}|`[^`]*`|\]\([^)]*\)/g)].map(([part]) => part).sort();
}

const PAIRS = [
  ["package.nls.json", "package.nls.fr.json"],
  ["l10n/bundle.l10n.json", "l10n/bundle.l10n.fr.json"],
] as const;

suite("words", () => {
  for (const [source, translation] of PAIRS) {
    test(`${translation} has the keys of ${source}, and none is empty`, () => {
      const [from, to] = [read(source), read(translation)];
      assert.deepEqual(Object.keys(to), Object.keys(from));
      for (const [key, text] of [...Object.entries(from), ...Object.entries(to)]) {
        assert.ok(text.trim() !== "", key);
      }
    });

    test(`${translation} keeps placeholders, code and links`, () => {
      const [from, to] = [read(source), read(translation)];
      for (const [key, text] of Object.entries(from)) {
        assert.deepEqual(kept(to[key] ?? ""), kept(text), key);
      }
    });

    test(`${translation} is set as French is`, () => {
      for (const [key, whole] of Object.entries(read(translation))) {
        const text = whole.replaceAll(/`[^`]*`|\]\([^)]*\)/g, "");
        assert.doesNotMatch(text, /\p{L}'\p{L}/u, `${key}: an apostrophe`);
        assert.doesNotMatch(text, /"/, `${key}: quotation marks`);
        assert.doesNotMatch(text, /[^\u00A0]:(?:\s|$)/u, `${key}: the space in front of a colon`);
        assert.doesNotMatch(text, /[^\u202F][;!?](?:\s|$)/u, `${key}: the space in front of a mark`);
        assert.doesNotMatch(text, /«[^\u00A0]|[^\u00A0]»/u, `${key}: the spaces inside quotation marks`);
        assert.doesNotMatch(text, /\.\.\./, `${key}: an ellipsis`);
      }
    });
  }

  test("the bundle has the texts of the sources: run `npm run l10n`", async () => {
    const sources = readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const contents = sources.map((name) => ({ extension: ".ts", contents: readFileSync(path.join(ROOT, "src", name), "utf8") }));
    const found = await getL10nJson(contents);
    assert.deepEqual(read("l10n/bundle.l10n.json"), Object.fromEntries(Object.entries(found).sort()));
  });

  test("the manifest holds no words of its own", () => {
    const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { readonly contributes: unknown };
    const words = new Set(["title", "description", "markdownDescription", "shortTitle", "name", "label", "contextualTitle", "enumDescriptions", "markdownEnumDescriptions", "deprecationMessage"]);
    const known = read("package.nls.json");
    const used = new Set<string>();
    for (const { at, text } of strings(manifest)) {
      const key = /^%([\w.-]+)%$/.exec(text)?.[1];
      if (key !== undefined) {
        used.add(key);
        assert.ok(key in known, key);
      } else if (at[0] === "contributes" && at.some((each) => words.has(each))) {
        assert.equal(text, "Callwright", at.join("."));
      }
    }
    assert.deepEqual(Object.keys(known).filter((key) => !used.has(key)), []);
  });

  test("every page of the walkthrough is there in French", () => {
    const folder = path.join(ROOT, "walkthrough");
    const pages = readdirSync(folder).filter((name) => !name.includes(".nls."));
    assert.ok(pages.length > 0);
    for (const page of pages) {
      assert.ok(existsSync(path.join(folder, page.replace(/\.md$/, ".nls.fr.md"))), page);
    }
  });

  test("all translations are packed", () => {
    const packed = readFileSync(path.join(ROOT, ".vscodeignore"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => new RegExp(`^${line.slice(1).replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`));
    const pages = readdirSync(path.join(ROOT, "walkthrough")).map((name) => `walkthrough/${name}`);
    for (const file of [...PAIRS.flat(), ...pages]) {
      assert.ok(packed.some((pattern) => pattern.test(file)), file);
    }
  });

  test("style finds words that are not translated", async () => {
    const { UNSPOKEN } = await import("../scripts/unspoken.mjs");
    const faults = (code: string): number => new Linter().verify(code, { rules: { "no-restricted-syntax": ["error", ...UNSPOKEN] } }).length;
    for (const code of [
      'window.showErrorMessage("It failed.");',
      "window.showErrorMessage(`It failed: ${why}`);",
      'window.showErrorMessage(l10n.t("It failed."), "Restart");',
      'window.showInformationMessage("It is " + what);',
      'new TreeItem("No configuration", 1);',
      'throw new SetupError(l10n.t("It failed."), "Try again.");',
      'show({ title: "Export" });',
      "show({ label: `$(gear) Open` });",
      'show({ details: ["None"] });',
      'item.tooltip = "A tool";',
    ]) {
      assert.equal(faults(code), 1, code);
    }
    for (const code of [
      'window.showErrorMessage(l10n.t("It failed."), l10n.t("Restart"));',
      'show({ title: "Callwright", label: `$(gear) ${l10n.t("Open")}` });',
      'show({ label: "", text: "$(tools)" });',
      "item.description = words.join();",
    ]) {
      assert.equal(faults(code), 0, code);
    }
  });

  test("what knows nothing of the editor speaks the editor's language", () => {
    const status = { uri: "file:///a", tools: 2, toolSets: ["mine"], dialect: null, host: "text", configuration: null, problems: 0 };
    assert.equal(statusText("running", status).text, "$(tools) any dialect · 2 tools");
    try {
      l10n.config({ contents: read("l10n/bundle.l10n.fr.json") });
      assert.equal(statusText("running", status).text, "$(tools) tout dialecte · 2 outils");
      assert.deepEqual(statusText("running", status).details, [
        "Dialecte\u00A0: tout dialecte",
        "Outils\u00A0: 2, de mine",
        "Lu comme\u00A0: text",
        "Configuration\u00A0: aucune",
        "Problèmes\u00A0: 0",
      ]);
    } finally {
      l10n.config({ contents: {} });
    }
  });
});
