/** Which executable serves: setting, selected environment, private environment. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { suite, test } from "node:test";

import { type Choice, PROBE_ARGUMENTS, type Probe, SERVER_ARGUMENTS, choose, interpretersOnPath, readProbe } from "../src/interpreter";

/** A choice with these interpreters; `selected` is one of them. */
function world(pythons: Record<string, Partial<Probe>>, choice: Partial<Omit<Choice, "selected">> & { selected?: string } = {}): Choice {
  return {
    path: "",
    interpreter: "",
    importStrategy: "fromEnvironment",
    trusted: true,
    carried: "0.1.0",
    offline: [],
    candidates: [],
    probe: (python) => Promise.resolve(python in pythons ? { executable: python, version: "3.12.1", server: null, ...pythons[python] } : undefined),
    ...choice,
    selected: () => Promise.resolve(choice.selected),
  };
}

const READY = { "/env/python": { server: "0.1.2" }, "/usr/python3": {} };

suite("choosing the server", () => {
  test("an executable in the settings is taken as it is", async () => {
    const plan = await choose(world(READY, { path: "/opt/callwright", interpreter: "/env/python" }));
    assert.deepEqual(plan, { kind: "executable", path: "/opt/callwright", notes: [] });
  });

  test("an interpreter in the settings serves where it has callwright", async () => {
    const plan = await choose(world(READY, { interpreter: "/env/python", selected: "/usr/python3" }));
    assert.deepEqual(plan, { kind: "python", python: "/env/python", version: "0.1.2", from: "setting", notes: [] });
  });

  test("an interpreter in the settings without callwright makes the private environment", async () => {
    const plan = await choose(world(READY, { interpreter: "/usr/python3", selected: "/env/python" }));
    assert.equal(plan.kind === "private" && plan.python, "/usr/python3");
  });

  test("a broken or old interpreter in the settings is reported, never silently replaced", async () => {
    const missing = await choose(world(READY, { interpreter: "/no/such", candidates: ["/usr/python3"] }));
    assert.match(missing.kind === "none" ? missing.reason : "", /cannot be run: \/no\/such/);
    const old = await choose(world({ "/old": { version: "3.9.2" } }, { interpreter: "/old" }));
    assert.match(old.kind === "none" ? old.reason : "", /Python 3\.9\.2; Callwright needs 3\.11/);
  });

  test("the selected environment serves where it has a compatible callwright", async () => {
    const plan = await choose(world(READY, { selected: "/env/python", candidates: ["/usr/python3"] }));
    assert.equal(plan.kind === "python" && plan.from, "selected environment");
  });

  for (const [what, probe] of Object.entries({
    "without callwright": { server: null },
    "with another callwright": { server: "0.2.0" },
    "with an older Python": { version: "3.10.0", server: "0.1.0" },
  })) {
    test(`a selected environment ${what} is skipped, and the log has the reason`, async () => {
      const plan = await choose(world({ "/env": probe, "/usr/python3": {} }, { selected: "/env", candidates: ["/usr/python3"] }));
      assert.equal(plan.kind === "private" && plan.python, "/usr/python3");
      assert.match(plan.notes.join(), /^Passed over the selected Python environment: /);
    });
  }

  test("`useBundled` passes over what is installed", async () => {
    const plan = await choose(world(READY, { importStrategy: "useBundled", selected: "/env/python", candidates: ["/usr/python3"] }));
    assert.equal(plan.kind === "private" && plan.python, "/usr/python3");
    const set = await choose(world(READY, { importStrategy: "useBundled", interpreter: "/env/python" }));
    assert.equal(set.kind === "private" && set.python, "/env/python");
  });

  test("nothing of a folder that is not trusted is run", async () => {
    const asked: string[] = [];
    const choice = world(READY, { trusted: false, selected: "/env/python", candidates: ["/usr/python3"] });
    const plan = await choose({
      ...choice,
      probe: (python) => {
        asked.push(python);
        return choice.probe(python);
      },
    });
    assert.equal(plan.kind === "private" && plan.python, "/usr/python3");
    assert.deepEqual(asked, ["/usr/python3"]);
  });

  test("the first Python that is new enough makes the private environment, else the message names what was found", async () => {
    const pythons = { "/a": { version: "3.8.1" }, "/b": { version: "3.11.9" } };
    const plan = await choose(world(pythons, { candidates: ["/gone", "/a", "/b"] }));
    assert.equal(plan.kind === "private" && plan.python, "/b");
    const none = await choose(world(pythons, { candidates: ["/gone", "/a"] }));
    assert.equal(none.kind === "none" && none.reason, "Only Python 3.8.1 was found; Callwright needs Python 3.11 or newer.");
    const nothing = await choose(world({}, { candidates: [] }));
    assert.match(nothing.kind === "none" ? nothing.reason : "", /^No Python was found/);
  });

  test("a Python whose packages are carried is preferred to one that needs the network; without one the log reports that", async () => {
    const pythons = { "/new": { version: "3.14.0" }, "/carried": { version: "3.12.4" }, "/similar": { version: "3.120.0" } };
    const plan = await choose(world(pythons, { offline: ["3.11", "3.12"], candidates: ["/new", "/similar", "/carried"] }));
    assert.deepEqual(plan, { kind: "private", python: "/carried", notes: [] });
    const fetched = await choose(world(pythons, { offline: ["3.11", "3.12"], candidates: ["/new", "/similar"] }));
    assert.equal(fetched.kind === "private" && fetched.python, "/new");
    assert.match(fetched.notes.join(), /carries are for Python 3\.11, 3\.12; for 3\.14\.0 they are fetched/);
  });
});

suite("interpreters on the path", () => {
  const files = new Set(["/usr/bin/python3", "/opt/bin/python3", "/opt/bin/python3.13", "bin/python3", "C:\\py\\python.exe"]);
  const exists = (file: string): boolean => files.has(file);

  test("in the order of the path, plain names first, relative folders never", () => {
    assert.deepEqual(interpretersOnPath("bin:.::/opt/bin:/usr/bin", "linux", exists), ["/opt/bin/python3", "/usr/bin/python3", "/opt/bin/python3.13"]);
  });

  test("on Windows with its own separators and endings", () => {
    assert.deepEqual(interpretersOnPath("C:\\py;relative", "win32", exists), ["C:\\py\\python.exe"]);
  });
});

suite("the probe", () => {
  test("a real interpreter answers, and nothing of the current folder runs", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "callwright-probe-"));
    try {
      writeFileSync(path.join(folder, "json.py"), "raise SystemExit('the folder was imported from')\n");
      const probe = readProbe(execFileSync("python3", [...PROBE_ARGUMENTS], { cwd: folder, encoding: "utf8" }));
      assert.ok(probe);
      assert.ok(path.isAbsolute(probe.executable));
      assert.match(probe.version, /^3\./);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("the server is started without the current folder in its import path", () => {
    assert.deepEqual(SERVER_ARGUMENTS, ["-P", "-m", "callwright", "server"]);
  });

  test("only its line is read: a banner before it does no harm, anything else is no answer", () => {
    assert.deepEqual(readProbe('hello\n{"executable": "/p", "version": "3.12.0", "server": null}\n'), { executable: "/p", version: "3.12.0", server: null });
    for (const output of ["", "Python was not found", "[]", "null", '{"executable": ""}', '{"executable": "/p"}']) {
      assert.equal(readProbe(output), undefined, output);
    }
  });
});
