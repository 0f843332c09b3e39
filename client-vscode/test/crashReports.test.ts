/** The reports of servers that went away. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { suite, test } from "node:test";

import { type Crash, KEPT_ERRORS, KEPT_REPORTS, follow, keepReport, newestReport, reportText } from "../src/crashReports";

const CRASH: Crash = {
  time: new Date("2026-03-01T10:20:30.456Z"),
  code: null,
  signal: "SIGSEGV",
  lived: 61_400,
  command: ["/usr/bin/python3", "-m", "callwright", "server"],
  versions: { Callwright: "1.2.3", "VS Code": "1.100.0" },
  errors: "Fatal Python error: Segmentation fault\n",
};

class Process extends EventEmitter {
  readonly stderr = new PassThrough();
}

suite("crash reports", () => {
  test("contain how the server ended, what it was and the end of its output", () => {
    assert.equal(
      reportText(CRASH),
      [
        "The Callwright server stopped unexpectedly.",
        "",
        "Time: 2026-03-01T10:20:30.456Z",
        "End: signal SIGSEGV, 61 s after its start",
        'Command: "/usr/bin/python3" "-m" "callwright" "server"',
        "Callwright: 1.2.3",
        "VS Code: 1.100.0",
        "",
        "The end of standard error (review it before you send this to anyone):",
        "",
        "Fatal Python error: Segmentation fault",
        "",
      ].join("\n"),
    );
    assert.match(reportText({ ...CRASH, signal: null, code: 3, errors: " \n" }), /End: exit code 3, [^]*\(none\)/);
  });

  test("only the newest are kept, and the newest of them is found", async () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), "callwright-")), "reports");
    try {
      assert.equal(await newestReport(folder), undefined);
      const files = [];
      for (let i = 0; i < KEPT_REPORTS + 2; i++) {
        files.push(await keepReport(folder, { ...CRASH, time: new Date(CRASH.time.getTime() + i * 1000), code: i, signal: null }));
      }
      assert.deepEqual(readdirSync(folder).sort(), files.slice(-KEPT_REPORTS).map((file) => path.basename(file)));
      const newest = await newestReport(folder);
      assert.equal(newest, files.at(-1));
      assert.match(readFileSync(String(newest), "utf8"), new RegExp(`exit code ${KEPT_REPORTS + 1},`));
    } finally {
      rmSync(path.dirname(folder), { recursive: true, force: true });
    }
  });

  test("have the end of standard error, also what is read after the exit", async () => {
    const process = new Process();
    const ended = new Promise<[number | null, string | null, string]>((resolve) => {
      follow(process, (code, signal, errors) => {
        resolve([code, signal, errors]);
      });
    });
    process.stderr.write("first ");
    process.stderr.write("x".repeat(KEPT_ERRORS));
    process.stderr.write(" last");
    await new Promise((resolve) => setImmediate(resolve));
    process.emit("exit", 1, null);
    const [code, signal, errors] = await ended;
    assert.deepEqual([code, signal, errors.length], [1, null, KEPT_ERRORS]);
    assert.ok(errors.startsWith("x") && errors.endsWith(" last"));
  });
});
