/** What `package.json` promises and what the code does agree. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { suite, test } from "node:test";

import { SERVER_KEYS, serverSettings } from "../src/settings";

const ROOT = path.resolve(__dirname, "..", "..");

interface Property {
  readonly default: unknown;
  readonly scope: string;
}

interface Manifest {
  readonly version: string;
  readonly engines: { readonly vscode: string };
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Property>> }[];
    readonly languages: readonly { readonly id: string; readonly extensions: readonly string[]; readonly configuration: string }[];
    readonly grammars: readonly { readonly path: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
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

  test("every declared setting belongs to the server or to the editor", () => {
    const known = new Set([...SERVER_KEYS.map((key) => `callwright.${key}`), ...EXECUTABLES, "callwright.trace.server"]);
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

  test("the oldest editor that is promised is the one that is tested", () => {
    assert.equal(manifest.engines.vscode, "^1.100.0");
  });

  test("files that are named exist", () => {
    for (const { extensions, configuration } of manifest.contributes.languages) {
      assert.deepEqual(extensions, [".prompt", ".toolcall"]);
      assert.ok(existsSync(path.join(ROOT, configuration)));
    }
    for (const { path: grammar } of manifest.contributes.grammars) {
      assert.ok(existsSync(path.join(ROOT, grammar)));
    }
  });

  test("menus and the walkthrough name commands and files that exist", () => {
    const { commands, menus, views, walkthroughs } = manifest.contributes;
    const own = new Set(commands.map(({ command }) => command));
    for (const { id, icon } of Object.values(views).flat()) {
      own.add(`${id}.focus`);
      assert.ok(existsSync(path.join(ROOT, icon)), icon);
    }
    for (const { command } of Object.values(menus).flat()) {
      assert.ok(own.has(command), command);
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

  test("extension and server have the same version", () => {
    const server = /^version = "([^"]+)"$/m.exec(readFileSync(path.join(ROOT, "..", "pyproject.toml"), "utf8"))?.[1];
    assert.equal(manifest.version, server);
  });

  test("only what somebody set is passed to the server", () => {
    const values: Record<string, unknown> = { dialect: "xml-json", strict: false, accept: null, interpreter: "/p", tools: [] };
    assert.deepEqual(serverSettings((key) => values[key]), { dialect: "xml-json", strict: false, tools: [] });
  });
});
