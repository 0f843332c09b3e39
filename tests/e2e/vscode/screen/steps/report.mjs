/** The report of `callwright report` is accessible in every colour scheme, and its keys go from fault to fault. */

import { required } from "../../browser.mjs";

/** @param {import("../hands.mjs").Screen} screen */
export default (screen) =>
  screen.checkPage(required("REPORT"), "report", async (report) => {
    await report.keyboard.press("n");
    await report.locator(".turn.here").waitFor();
  });
