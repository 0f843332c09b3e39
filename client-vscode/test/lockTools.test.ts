/** Locking the tools of servers: what runs in the terminal, and when it is refused. */

import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { type LockRequest, lockPlan } from "../src/lockTools";

const READY: LockRequest = {
  trusted: true,
  folder: "/home/me/project",
  server: { command: "/usr/bin/python3", args: ["-P", "-m", "callwright", "server"] },
};

suite("locking tools", () => {
  test("the program that serves asks the servers, in the folder", () => {
    assert.deepEqual(lockPlan(READY), {
      kind: "run",
      command: "/usr/bin/python3",
      args: ["-P", "-m", "callwright", "tools", "lock", "--all"],
      cwd: "/home/me/project",
      env: {},
    });
  });

  test("it never answers yes for the user", () => {
    const plan = lockPlan(READY);
    assert.ok(plan.kind === "run" && !plan.args.some((word) => word.startsWith("--yes")));
  });

  test("the environment of the server is its environment", () => {
    const plan = lockPlan({ ...READY, server: { command: "p", args: ["server"], env: { A: "b", C: undefined } } });
    assert.ok(plan.kind === "run");
    assert.deepEqual(plan.env, { A: "b" });
  });

  for (const [why, request, words] of [
    ["not trusted", { ...READY, trusted: false }, /is not trusted/],
    ["no folder", { ...READY, folder: undefined }, /No folder is open/],
    ["no server", { ...READY, server: undefined }, /is not running/],
    ["another program", { ...READY, server: { command: "p", args: ["--stdio"] } }, /is not running/],
  ] as const) {
    test(`nothing runs: ${why}`, () => {
      const plan = lockPlan(request);
      assert.ok(plan.kind === "refused");
      assert.match(plan.message, words);
    });
  }
});
