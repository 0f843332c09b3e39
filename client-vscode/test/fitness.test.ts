/**
 * Fit for the Marketplace and for Open VSX: what both require of a manifest, its pages and its pictures.
 *
 * Neither can be asked without the network: `vsce` checks while it packs, and `ovsx` has no dry run (its `verify-pat` asks
 * the registry about a token). What they would reject, or show wrongly, is therefore checked here.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

const ROOT = path.resolve(__dirname, "..", "..");
const REPOSITORY = path.join(ROOT, "..");
/** Where the project is assumed to be published; everything that names an address of its own agrees with it. */
const ADDRESS = "https://github.com/callwright/callwright";

const read = (...names: readonly string[]): string => readFileSync(path.join(ROOT, ...names), "utf8");

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly version: string;
  readonly displayName: string;
  readonly description: string;
  readonly license: string;
  readonly icon: string;
  readonly preview?: boolean;
  readonly pricing: string;
  readonly homepage: string;
  readonly repository: { readonly url: string; readonly directory: string };
  readonly bugs: { readonly url: string };
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly engines: { readonly vscode: string };
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: string; readonly description: string; readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: { readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[] };
}

interface Setting {
  readonly scope: string;
  readonly description?: string;
  readonly markdownDescription?: string;
}

const manifest = JSON.parse(read("package.json")) as Manifest;
const words = JSON.parse(read("package.nls.json")) as Record<string, string>;
const localized = (text: string): string => words[/^%(.*)%$/.exec(text)?.[1] ?? ""] ?? text;

/** Categories that the registries know. */
const CATEGORIES = [
  "AI", "Azure", "Chat", "Data Science", "Debuggers", "Education", "Extension Packs", "Formatters", "Keymaps", "Language Packs", "Linters",
  "Machine Learning", "Notebooks", "Other", "Programming Languages", "SCM Providers", "Snippets", "Testing", "Themes", "Visualization",
];

suite("fit for the registries", () => {
  test("the manifest has what they show and demand", () => {
    assert.match(manifest.name, /^[a-z0-9-]+$/);
    assert.match(manifest.publisher, /^[a-z0-9-]+$/);
    assert.match(manifest.version, /^\d+\.\d+\.\d+$/, "the Marketplace takes no other form");
    assert.ok(localized(manifest.displayName).length <= 70);
    assert.ok(localized(manifest.description).length > 0 && localized(manifest.description).length <= 200);
    assert.equal(manifest.license, "MIT");
    assert.equal(manifest.pricing, "Free");
    assert.equal(manifest.preview, undefined, "the page has no mark of a preview");
    assert.ok(manifest.categories.length > 0);
    assert.deepEqual(manifest.categories.filter((category) => !CATEGORIES.includes(category)), []);
    assert.ok(manifest.keywords.length <= 30);
    assert.ok(!manifest.activationEvents.includes("*"));
  });

  test("all addresses are those of one repository, and other pages name the same", () => {
    assert.equal(manifest.repository.url, `${ADDRESS}.git`);
    assert.equal(manifest.repository.directory, path.basename(ROOT));
    assert.equal(manifest.bugs.url, `${ADDRESS}/issues`);
    assert.equal(manifest.homepage, `${ADDRESS}#readme`);
    const page = readFileSync(path.join(REPOSITORY, "server", "docs", "ci.md"), "utf8");
    assert.ok(page.includes(`repo: ${ADDRESS}\n`));
    assert.ok(page.includes(`uses: ${new URL(ADDRESS).pathname.slice(1)}@`));
  });

  test("the icon is a picture of 128 pixels or more, and no drawing", () => {
    const picture = readFileSync(path.join(ROOT, manifest.icon));
    assert.equal(picture.subarray(1, 4).toString(), "PNG");
    assert.ok(picture.readUInt32BE(16) >= 128 && picture.readUInt32BE(16) === picture.readUInt32BE(20));
  });

  test("the page has no link that only works beside the sources, and no picture that is refused", () => {
    const page = read("README.md").replace(/```[\s\S]*?```/g, "");
    const links = [...page.matchAll(/!?\[[^\]]*\]\(([^)\s]+)/g), ...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? "");
    assert.deepEqual(links.filter((link) => !/^(?:https:\/\/|#)/.test(link)), []);
    const pictures = [...page.matchAll(/!\[[^\]]*\]\(([^)\s]+)/g), ...page.matchAll(/<img[^>]*src="([^"]+)"/g)].map(([, link]) => link ?? "");
    assert.deepEqual(pictures.filter((link) => /\.svg(?:$|\?)/.test(link)), []);
  });

  test("the changelog begins with the version that is packaged", () => {
    const [title, ...sections] = read("CHANGELOG.md").split("\n").filter((line) => line.startsWith("#"));
    const dated = sections.filter((line) => line !== "## Unreleased");
    assert.equal(title, "# Changelog");
    assert.ok(dated[0]?.startsWith(`## ${manifest.version} - `));
    assert.ok(dated.every((line) => /^## \d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/.test(line)));
  });

  test("the licence is the repository's", () => {
    assert.equal(read("LICENSE"), readFileSync(path.join(REPOSITORY, "LICENSE"), "utf8"));
  });

  test("the oldest editor that is promised is no newer than the one that is driven", () => {
    const promised = /^\^1\.(\d+)\.\d+$/.exec(manifest.engines.vscode)?.[1];
    const script = readFileSync(path.join(REPOSITORY, "tests", "e2e", "install-code-server.sh"), "utf8");
    const driven = /CODE_SERVER_VERSION:-4\.(\d+)\./.exec(script)?.[1];
    assert.ok(promised !== undefined && driven !== undefined && Number(promised) <= Number(driven));
  });

  test("what the packages need is locked", () => {
    assert.match(read("scripts", "installer.txt"), /^pip==\d+(?:\.\d+)+ --hash=sha256:[0-9a-f]{64}$/m);
  });
});

suite("trust", () => {
  /** Settings whose texts name such things and that start nothing, with the reason. */
  const HARMLESS: Readonly<Record<string, string>> = {
    "callwright.trace.server": "selects what is written to the output channel",
  };
  const { restrictedConfigurations, supported, description } = manifest.capabilities.untrustedWorkspaces;
  const settings = Object.entries(manifest.contributes.configuration[0]?.properties ?? {});
  const described = (key: string, { description: plain, markdownDescription }: Setting): string => `${key} ${localized(plain ?? markdownDescription ?? "")}`;

  test("a setting that could start or name something is restricted to trusted folders", () => {
    assert.equal(supported, "limited");
    const delicate = settings.filter(([key, setting]) => /path|command|interpreter|executable|server/i.test(described(key, setting)) && !(key in HARMLESS));
    assert.ok(delicate.length >= 3);
    assert.deepEqual(delicate.map(([key]) => key).filter((key) => !restrictedConfigurations.includes(key)), []);
    assert.deepEqual(restrictedConfigurations.filter((key) => !settings.some(([known]) => known === key)), []);
    assert.match(localized(description), /not trusted/);
  });

  test("what is started is set for the machine, never by a folder", () => {
    const started = settings.filter(([key, setting]) => /interpreter|executable|command|package|serves/i.test(described(key, setting)) && !key.endsWith(".dialect"));
    for (const [key, { scope }] of started) {
      assert.match(scope, /^machine(?:-overridable)?$/, key);
    }
    for (const name of ["path", "interpreter", "importStrategy"]) {
      assert.ok(started.some(([key]) => key === `callwright.${name}`), name);
    }
  });
});
