/** Which of the server's offers are picked. */

import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { dialectChoices, offered } from "../src/offers";

suite("offers", () => {
  const fill = { title: "Fill in the required parameters", kind: "refactor.rewrite", data: { key: { offer: "fill", at: 3 } } };
  const convert = { title: "Convert", kind: "refactor.rewrite", data: { key: { offer: "convert" } } };
  const fix = { title: "Fix everything", kind: "source.fixAll.callwright", data: { uri: "file:///a" } };

  test("an offer is known by its key, whatever it is called", () => {
    assert.deepEqual(offered([convert, fill], "fill"), [fill]);
    assert.deepEqual(offered([convert, fix], "ignore"), []);
    assert.deepEqual(offered([fix], undefined), [fix]);
  });

  test("any other answer is ignored", () => {
    for (const answer of [null, undefined, "x", { title: "x" }, [null, 1, {}, { title: 3 }]]) {
      assert.deepEqual(offered(answer, undefined), []);
      assert.deepEqual(dialectChoices(answer, null), []);
    }
  });

  test("the wanted dialect is first", () => {
    const dialects = ["a", "b", "c"].map((name) => ({ name, summary: `${name}.` }));
    assert.deepEqual(dialectChoices(dialects, "b").map(({ name }) => name), ["b", "a", "c"]);
    assert.deepEqual(dialectChoices(dialects, null), dialects);
    assert.deepEqual(dialectChoices([...dialects, { name: "d" }], "d"), dialects);
  });
});
