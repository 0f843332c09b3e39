/** The text of the status item, and when a crashed server is started again. */

import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { CrashCounter, RESTARTS, WINDOW_MS } from "../src/crashes";
import { type DocumentStatus, readStatus, statusText } from "../src/status";

const STATUS: DocumentStatus = {
  uri: "file:///w/a.prompt",
  tools: 31,
  toolSets: ["agent", "zentara-debug"],
  dialect: "xml-json",
  host: "text",
  configuration: "/w/callwright.toml",
  problems: 2,
};

suite("status", () => {
  test("shows dialect and tools", () => {
    assert.equal(statusText("running", STATUS).text, "$(tools) xml-json · 31 tools");
    assert.equal(statusText("running", { ...STATUS, dialect: null, tools: 1 }).text, "$(tools) any dialect · 1 tool");
    assert.equal(statusText("running", { ...STATUS, tools: 0, toolSets: [] }).text, "$(tools) xml-json · no tools");
  });

  test("shows that tools come from the file itself", () => {
    const own = { ...STATUS, tools: 3, toolSets: ["system"], own: true, dialect: null, configuration: null };
    assert.equal(statusText("running", own).text, "$(tools) any dialect · 3 tools from this file");
    assert.equal(statusText("running", { ...own, tools: 1 }).text, "$(tools) any dialect · 1 tool from this file");
    assert.ok(statusText("running", own).details.includes("Tools: 3 from this file"));
    assert.equal(readStatus({ uri: "u", own: true })?.own, true);
    assert.equal(readStatus({ uri: "u", own: 1 })?.own, undefined);
  });

  test("the details name tool sets, configuration and server", () => {
    assert.deepEqual(statusText("running", STATUS, "bundled").details, [
      "Dialect: xml-json",
      "Tools: 31 from agent, zentara-debug",
      "Read as: text",
      "Configuration: /w/callwright.toml",
      "Diagnostics: 2",
      "Server: bundled",
    ]);
  });

  test("a server that is not running is shown first", () => {
    assert.equal(statusText("failed", STATUS).severity, "error");
    assert.match(statusText("starting", STATUS).text, /loading/);
    assert.match(statusText("stopped", STATUS).details.join(), /stopped/);
  });

  test("a report with missing or wrong fields is completed, one without a document dropped", () => {
    assert.equal(readStatus(null), undefined);
    assert.equal(readStatus({ tools: 3 }), undefined);
    assert.deepEqual(readStatus({ uri: "u", tools: "3", toolSets: ["a", 1], dialect: 4, problems: NaN }), {
      uri: "u",
      tools: 0,
      toolSets: ["a"],
      dialect: null,
      host: "text",
      configuration: null,
      problems: 0,
    });
  });
});

suite("crashes", () => {
  test("a few in a row are answered with a restart, then a person is asked", () => {
    const counter = new CrashCounter();
    const answers = Array.from({ length: RESTARTS + 2 }, (_, i) => counter.shouldRestart(i));
    assert.deepEqual(answers, [...Array.from({ length: RESTARTS }, () => true), false, false]);
  });

  test("crashes far apart are forgotten, and a restart that was asked for forgets all", () => {
    const counter = new CrashCounter();
    for (let i = 0; i < 3 * RESTARTS; i++) {
      assert.ok(counter.shouldRestart(i * WINDOW_MS));
    }
    for (let i = 0; i <= RESTARTS; i++) {
      counter.shouldRestart(0);
    }
    counter.reset();
    assert.ok(counter.shouldRestart(0));
  });
});
