/** The private environment: its name, its variables, its failures. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { suite, test } from "node:test";

import { SetupError, carriedPythons, cleanEnvironment, environmentName, pipRemedy, privateEnvironment, venvRemedy } from "../src/environment";

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Run `body` with a folder that contains a bundle; it is removed afterwards. */
async function withBundle(body: (storage: string, bundle: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "callwright-environment-"));
  try {
    const bundle = path.join(folder, "bundle");
    mkdirSync(bundle);
    writeFileSync(path.join(bundle, "callwright-0.1.0-py3-none-any.whl"), "wheel");
    writeFileSync(path.join(bundle, "requirements.txt"), "");
    mkdirSync(path.join(bundle, "pip"));
    writeFileSync(path.join(bundle, "pip", "pip-26.3-py3-none-any.whl"), "pip");
    await body(path.join(folder, "storage"), bundle);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A fake Python: a shell script. */
function fakePython(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "fake-python");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

suite("private environment", () => {
  test("has another name as soon as wheel or dependencies change", () => {
    const name = environmentName("0.1.0", [bytes("wheel"), bytes("a==1")]);
    assert.match(name, /^server-0\.1\.0-[0-9a-f]{12}$/);
    assert.equal(name, environmentName("0.1.0", [bytes("wheel"), bytes("a==1")]));
    assert.notEqual(name, environmentName("0.1.0", [bytes("wheel"), bytes("a==2")]));
    assert.notEqual(name, environmentName("0.1.0", [bytes("wheela"), bytes("==1")]));
  });

  test("drops variables that would divert packages, keeps how the index is reached", () => {
    const env = cleanEnvironment({ PYTHONPATH: "x", PYTHONHOME: "x", PIP_TARGET: "x", VIRTUAL_ENV: "x", PIP_INDEX_URL: "u", HTTPS_PROXY: "p", PATH: "/" });
    assert.deepEqual(env, { PIP_INDEX_URL: "u", HTTPS_PROXY: "p", PATH: "/" });
  });

  test("failures come with what to do", () => {
    assert.match(venvRemedy("/usr/bin/python3: No module named venv"), /python3-venv/);
    assert.match(pipRemedy("Failed to establish a new connection: [Errno -2]"), /index cannot be reached/);
    assert.match(pipRemedy("[Errno 28] No space left on device"), /disk is full/);
    assert.match(pipRemedy("something else"), /output channel/);
  });

  test("a failed attempt leaves no files and reports what failed", async () => {
    await withBundle(async (storage, bundle) => {
      const python = fakePython(path.join(bundle, ".."), 'mkdir -p "$4"; echo "/usr/bin/python3: No module named venv" >&2; exit 1');
      const request = { storage, bundle, python, report: () => undefined, log: () => undefined, signal: new AbortController().signal };
      await assert.rejects(privateEnvironment(request), (error: unknown) => {
        assert.ok(error instanceof SetupError);
        assert.equal(error.message, "Creating a Python environment failed.");
        assert.match(error.remedy, /python3-venv/);
        return true;
      });
      assert.deepEqual(readdirSync(storage), []);
    });
  });

  test("two windows make one environment; the second finds it ready", async () => {
    await withBundle(async (storage, bundle) => {
      const answer = '{"executable": "/x", "version": "3.12.0", "server": "0.1.0"}';
      const made = path.join(storage, "made");
      // As Python: `-m venv --without-pip DIR` copies the script into DIR, pip and the probe answer at once.
      const python = fakePython(
        path.join(bundle, ".."),
        `if [ "$2" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; echo x >> '${made}'; sleep 0.2; else echo '${answer}'; fi`,
      );
      const request = { storage, bundle, python, report: () => undefined, log: () => undefined, signal: new AbortController().signal };
      const [first, second] = await Promise.all([privateEnvironment(request), privateEnvironment(request)]);
      assert.equal(first, second);
      assert.ok(existsSync(first));
      assert.equal(await privateEnvironment(request), first);
      assert.equal(readFileSync(made, "utf8"), "x\n", "made once");
      assert.equal(readdirSync(storage).filter((name) => name.endsWith(".lock")).length, 0);
    });
  });

  test("a bundle without exactly one wheel is refused", async () => {
    await withBundle(async (storage, bundle) => {
      writeFileSync(path.join(bundle, "callwright-0.2.0-py3-none-any.whl"), "wheel");
      const request = { storage, bundle, python: "/none", report: () => undefined, log: () => undefined, signal: new AbortController().signal };
      await assert.rejects(privateEnvironment(request), /should contain one server package, but 2 were found/);
    });
  });

  test("a bundle without the installer is refused", async () => {
    await withBundle(async (storage, bundle) => {
      rmSync(path.join(bundle, "pip"), { recursive: true });
      const request = { storage, bundle, python: "/none", report: () => undefined, log: () => undefined, signal: new AbortController().signal };
      await assert.rejects(privateEnvironment(request), /should contain one installer, but 0 were found/);
    });
  });

  test("dependencies that are carried are installed without the index; where they do not fit, they are fetched", async () => {
    const runs = async (fits: boolean): Promise<readonly string[]> => {
      let lines: readonly string[] = [];
      await withBundle(async (storage, bundle) => {
        mkdirSync(path.join(bundle, "wheels"));
        writeFileSync(path.join(bundle, "wheels", "lxml-6.1.3-cp312-cp312-manylinux_2_28_x86_64.whl"), "");
        const calls = path.join(bundle, "calls");
        const python = fakePython(
          path.join(bundle, ".."),
          `if [ "$2" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; exit; fi\necho "$@" >> '${calls}'\ncase "$*" in *--find-links*) exit ${fits ? 0 : 1};; esac`,
        );
        await privateEnvironment({ storage, bundle, python, report: () => undefined, log: () => undefined, signal: new AbortController().signal });
        lines = readFileSync(calls, "utf8").trim().split("\n");
      });
      return lines;
    };
    const [offline, server, ...rest] = await runs(true);
    assert.match(offline ?? "", /^-I .*pip-26\.3-py3-none-any\.whl\/pip --isolated install .*--no-index --find-links .*wheels --require-hashes -r /);
    assert.match(server ?? "", /--no-deps --no-index .*callwright-0\.1\.0-py3-none-any\.whl$/);
    assert.deepEqual(rest, []);
    const fetched = await runs(false);
    assert.equal(fetched.length, 3);
    assert.doesNotMatch(fetched[1] ?? "", /--no-index|--isolated/);
    assert.match(fetched[1] ?? "", /--require-hashes -r /);
  });

  test("the bundled packages decide which Pythons need no network", async () => {
    await withBundle(async (_storage, bundle) => {
      assert.deepEqual(await carriedPythons(bundle), []);
      mkdirSync(path.join(bundle, "wheels"));
      for (const name of ["a-1-py3-none-any.whl", "b-1-cp310-abi3-manylinux_2_17_x86_64.whl", "c-1-cp312-cp312-manylinux_2_28_x86_64.whl", "d-1-cp312-cp312-manylinux_2_28_x86_64.whl"]) {
        writeFileSync(path.join(bundle, "wheels", name), "");
      }
      assert.deepEqual(await carriedPythons(bundle), ["3.12"]);
    });
  });
});
