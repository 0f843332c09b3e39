/** Which Pythons can run the server, and which servers go with the extension. */

import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { compareVersions, isPythonNewEnough, isServerCompatible, parseVersion } from "../src/versions";

function compare(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  assert.ok(left && right);
  return Math.sign(compareVersions(left, right));
}

suite("versions", () => {
  test("numbers are compared as numbers, missing ones are zero", () => {
    assert.equal(compare("3.9", "3.11"), -1);
    assert.equal(compare("3.11", "3.11.0"), 0);
    assert.equal(compare("1.0.1", "1"), 1);
  });

  test("a pre-release comes before its release, a build of one does not", () => {
    for (const early of ["1.0rc1", "1.0.dev3", "1.0-beta.2", "1.0a1"]) {
      assert.equal(compare(early, "1.0"), -1, early);
    }
    assert.equal(compare("1.0+local", "1.0"), 0);
    assert.equal(compare("1.0.post1", "1.0"), 0);
  });

  test("text without a number is no version", () => {
    for (const text of ["", "unknown", ".1", "v"]) {
      assert.equal(parseVersion(text), undefined, text);
    }
  });

  test("Python 3.11 is the oldest that serves", () => {
    assert.ok(!isPythonNewEnough("3.10.14"));
    assert.ok(!isPythonNewEnough("2.7.18"));
    assert.ok(!isPythonNewEnough("3.11.0rc1"));
    assert.ok(isPythonNewEnough("3.11.0"));
    assert.ok(isPythonNewEnough("3.14.0+"));
    assert.ok(!isPythonNewEnough("PyPy"));
  });

  test("a server goes with the extension where it is not older and promises compatibility", () => {
    assert.ok(isServerCompatible("0.1.0", "0.1.0"));
    assert.ok(isServerCompatible("0.1.4", "0.1.0"));
    assert.ok(!isServerCompatible("0.2.0", "0.1.0"), "before 1.0 a minor version may break");
    assert.ok(isServerCompatible("1.3.0", "1.2.9"));
    assert.ok(!isServerCompatible("1.2.8", "1.2.9"));
    assert.ok(!isServerCompatible("2.0.0", "1.9.0"));
    assert.ok(!isServerCompatible("0.1.0.dev1", "0.1.0"));
    assert.ok(!isServerCompatible("unknown", "0.1.0"));
  });
});
