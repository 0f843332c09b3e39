/** `package.json` and the code agree. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

import { PROMPT_LANGUAGES, TEXT_LANGUAGES } from "../src/documents";
import { CHAT_TEMPLATES_KEY, SERVER_KEYS, VIEW_KEYS, serverSettings } from "../src/settings";

const ROOT = path.resolve(__dirname, "..", "..");

interface Property {
  readonly default: unknown;
  readonly scope: string;
}

interface Manifest {
  readonly version: string;
  readonly qna: string;
  readonly bugs: { readonly url: string };
  readonly galleryBanner: { readonly color: string; readonly theme: string };
  readonly badges: readonly { readonly url: string; readonly href: string; readonly description: string }[];
  readonly engines: { readonly vscode: string };
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string; readonly icon?: string; readonly enablement?: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Property>> }[];
    readonly languages: readonly { readonly id: string; readonly extensions: readonly string[]; readonly configuration: string; readonly icon: { readonly light: string; readonly dark: string } }[];
    readonly grammars: readonly { readonly path: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly menus: Readonly<Record<string, readonly { readonly command?: string; readonly submenu?: string; readonly when?: string }[]>>;
    readonly submenus: readonly { readonly id: string }[];
    readonly keybindings: readonly { readonly command: string; readonly when: string }[];
    readonly jsonValidation: readonly { readonly fileMatch: string; readonly url: string }[];
    readonly tomlValidation: readonly { readonly fileMatch: string; readonly url: string }[];
    readonly snippets: readonly { readonly language: string; readonly path: string }[];
    readonly walkthroughs: readonly { readonly steps: readonly { readonly description: string; readonly media: { readonly markdown: string } }[] }[];
  };
}

const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as Manifest;
const properties = manifest.contributes.configuration[0]?.properties ?? {};
const EXECUTABLES = ["callwright.path", "callwright.interpreter", "callwright.importStrategy"];

suite("manifest", () => {
  test("every setting of the server is declared, and has no default that would override the configuration file", () => {
    for (const key of SERVER_KEYS) {
      const property = properties[`callwright.${key}`];
      assert.ok(property, key);
      assert.equal(property.default, null, key);
      assert.equal(property.scope, "resource", key);
    }
  });

  test("what is shown beside the text is shown, unless the user turns it off", () => {
    for (const key of VIEW_KEYS) {
      assert.equal(properties[`callwright.${key}`]?.default, true, key);
      assert.equal(properties[`callwright.${key}`]?.scope, "resource", key);
    }
  });

  test("chat templates are rendered when they are saved, unless the setting turns it off", () => {
    assert.equal(properties[`callwright.${CHAT_TEMPLATES_KEY}`]?.default, "save");
    assert.equal(properties[`callwright.${CHAT_TEMPLATES_KEY}`]?.scope, "resource");
    assert.deepEqual(serverSettings((key) => (key === CHAT_TEMPLATES_KEY ? "off" : undefined)), { chatTemplates: "off" });
  });

  test("every declared setting belongs to the server or to the editor", () => {
    const known = new Set([...[...SERVER_KEYS, ...VIEW_KEYS, CHAT_TEMPLATES_KEY].map((key) => `callwright.${key}`), ...EXECUTABLES, "callwright.trace.server"]);
    assert.deepEqual(Object.keys(properties).filter((key) => !known.has(key)), []);
  });

  test("settings that name executables are the machine's, and restricted in folders that are not trusted", () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.equal(supported, "limited");
    for (const key of EXECUTABLES) {
      assert.equal(properties[key]?.scope, "machine", key);
      assert.ok(restrictedConfigurations.includes(key), key);
    }
  });

  test("it wakes for a configuration and for languages that may hold calls, never for a language or a file of any project", () => {
    const languages = [...PROMPT_LANGUAGES, ...TEXT_LANGUAGES, "jsonl", "toml"].map((language) => `onLanguage:${language}`);
    assert.deepEqual([...manifest.activationEvents].sort(), [...languages, "workspaceContains:**/callwright.toml"].sort());
  });

  test("the oldest editor that is promised is the one that is tested", () => {
    assert.equal(manifest.engines.vscode, "^1.100.0");
  });

  test("files that are named exist", () => {
    const { grammars, languages, snippets } = manifest.contributes;
    for (const { extensions, configuration, icon } of languages) {
      assert.deepEqual(extensions, [".prompt", ".toolcall"]);
      assert.ok(existsSync(path.join(ROOT, configuration)));
      assert.notEqual(icon.light, icon.dark);
      assert.ok(existsSync(path.join(ROOT, icon.light)) && existsSync(path.join(ROOT, icon.dark)));
    }
    for (const { path: file } of [...grammars, ...snippets]) {
      assert.ok(existsSync(path.join(ROOT, file)), file);
    }
  });

  test("the marketplace shows the colour of the icon, where to ask, and badges that need no count or status of ours", () => {
    const tile = /^TILE = \((\d+), (\d+), (\d+)\)$/m.exec(readFileSync(path.join(ROOT, "scripts", "icon.py"), "utf8"))?.slice(1) ?? [];
    assert.equal(manifest.galleryBanner.color, `#${tile.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`);
    assert.equal(manifest.qna, manifest.bugs.url);
    assert.ok(manifest.badges.length > 0);
    for (const { url, href } of manifest.badges) {
      assert.match(url, /^https:\/\/img\.shields\.io\/badge\//);
      assert.match(href, /^https:\/\//);
    }
  });

  test("schemas for JSON are part of the extension; the one for TOML has an address, which Even Better TOML asks for", () => {
    const { jsonValidation, tomlValidation } = manifest.contributes;
    assert.match(readFileSync(path.join(ROOT, ".vscodeignore"), "utf8"), /^!schemas\/\*\.json$/m);
    assert.deepEqual(jsonValidation.map(({ url }) => path.posix.basename(url)).sort(), readdirSync(path.join(ROOT, "schemas")).sort());
    for (const { url } of jsonValidation) {
      assert.ok(existsSync(path.join(ROOT, url)), url);
    }
    // A schema of ours for `pyproject.toml` would take the place of the one that knows all tools.
    assert.deepEqual(tomlValidation.map(({ fileMatch }) => fileMatch), ["callwright.toml"]);
    for (const { url } of tomlValidation) {
      const { $id } = JSON.parse(readFileSync(path.join(ROOT, "..", "schemas", path.posix.basename(url)), "utf8")) as { $id: string };
      assert.equal(url, $id);
    }
  });

  test("menus and the walkthrough name commands and files that exist", () => {
    const { commands, menus, views, walkthroughs } = manifest.contributes;
    const own = new Set(commands.map(({ command }) => command));
    for (const { id, icon } of Object.values(views).flat()) {
      own.add(`${id}.focus`);
      assert.ok(existsSync(path.join(ROOT, icon)), icon);
    }
    for (const { command, submenu } of Object.values(menus).flat()) {
      assert.ok(command === undefined ? submenu !== undefined && submenu in menus : own.has(command), command ?? submenu);
    }
    for (const { id } of manifest.contributes.submenus) {
      assert.ok(id in menus, id);
    }
    const steps = walkthroughs.flatMap((each) => each.steps);
    assert.ok(steps.length > 0);
    const packed = readFileSync(path.join(ROOT, ".vscodeignore"), "utf8");
    assert.match(packed, /^!walkthrough\/\*\.md$/m);
    for (const { description, media } of steps) {
      assert.ok(existsSync(path.join(ROOT, media.markdown)), media.markdown);
      for (const [, command] of description.matchAll(/\(command:([\w.]+)\)/g)) {
        assert.ok(command !== undefined && (own.has(command) || command.startsWith("editor.action.")), command);
      }
    }
  });

  test("every command is answered, localised, and no other is", () => {
    const sources = readdirSync(path.join(ROOT, "src"))
      .map((name) => readFileSync(path.join(ROOT, "src", name), "utf8"))
      .join("\n");
    const answered = [...sources.matchAll(/\bregisterCommand\(\s*"(callwright\.\w+)"|^\s+at\("(\w+)", /gm)].map(([, whole, name]) => whole ?? `callwright.${name ?? ""}`);
    const { commands } = manifest.contributes;
    assert.deepEqual(commands.map(({ command }) => command).sort(), answered.sort());
    for (const { command, title, category } of commands) {
      assert.equal(title, `%${command.replace(/^callwright/, "command")}%`);
      assert.equal(category, "Callwright");
    }
  });

  test("the page names every command by its title", () => {
    const words = JSON.parse(readFileSync(path.join(ROOT, "package.nls.json"), "utf8")) as Readonly<Record<string, string>>;
    const page = readFileSync(path.join(ROOT, "README.md"), "utf8");
    const named = [...page.matchAll(/^\| \*(.+?)\* \|/gm)].map(([, title]) => title).sort();
    assert.deepEqual(named, manifest.contributes.commands.map(({ title }) => words[title.slice(1, -1)]).sort());
  });

  test("what needs a document or a server is only offered where there is one", () => {
    const { commands, keybindings, menus } = manifest.contributes;
    const always = ["callwright.restart", "callwright.showOutput", "callwright.showStatus", "callwright.showCrashReport", "callwright.openSample", "callwright.newToolFile", "callwright.lockTools"];
    const conditional = new Set((menus["commandPalette"] ?? []).filter(({ when }) => /callwright\.(?:attached|running)/.test(when ?? "")).map(({ command }) => command));
    assert.deepEqual(commands.map(({ command }) => command).filter((command) => !always.includes(command) && !conditional.has(command)), []);
    for (const { command, when } of keybindings) {
      assert.match(when, /editorLangId == callwright-prompt/, command);
    }
  });

  test("extension and server have the same version", () => {
    const server = /^version = "([^"]+)"$/m.exec(readFileSync(path.join(ROOT, "..", "pyproject.toml"), "utf8"))?.[1];
    assert.equal(manifest.version, server);
  });

  test("only values that the user set are passed to the server", () => {
    const values: Record<string, unknown> = { dialect: "xml-json", strict: false, accept: null, interpreter: "/p", tools: [] };
    assert.deepEqual(serverSettings((key) => values[key]), { dialect: "xml-json", strict: false, tools: [] });
  });
});
