/** The report of `callwright corpus report` is accessible in every colour scheme, with its tables and samples open, too. */

import assert from "node:assert/strict";

import { required } from "../../browser.mjs";

/** @param {import("../hands.mjs").Screen} screen */
export default (screen) =>
  screen.checkPage(required("CORPUS_REPORT"), "corpus-report", async (report) => {
    const folded = report.locator("details:not([open]) > summary");
    assert.ok((await folded.count()) > 2);
    for (const summary of await folded.elementHandles()) await summary.click();
    assert.equal(await folded.count(), 0);
  });
