/** Messages between the views and the server. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Pending, rangeOf } from "../src/messages";

test("a range is four whole numbers and nothing else", () => {
  assert.deepEqual(rangeOf([1, 2, 3, 4]), [1, 2, 3, 4]);
  for (const other of [undefined, null, "1,2,3,4", [1, 2, 3], [1, 2, 3, 4, 5], [1, 2, 3, -1], [1, 2, 3, 0.5], [1, 2, 3, NaN], [1, 2, 3, "4"], { length: 4 }]) {
    assert.equal(rangeOf(other), undefined, JSON.stringify(other));
  }
});

test("of work that is put off only the newest is done", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const done: string[] = [];
  const pending = new Pending(200);
  pending.later(() => done.push("first"));
  context.mock.timers.tick(199);
  pending.later(() => done.push("second"));
  context.mock.timers.tick(199);
  assert.equal(done.length, 0);
  context.mock.timers.tick(1);
  assert.equal(done.join(), "second");
  pending.later(() => done.push("third"));
  pending.cancel();
  context.mock.timers.tick(1_000);
  assert.equal(done.join(), "second");
});
