/** The report of `callwright report` is accessible in every colour scheme, and its keys go from fault to fault. */

import assert from "node:assert/strict";
import path from "node:path";

import { required } from "../../browser.mjs";

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const report = await screen.page.context().browser()?.newPage({ viewport: { width: 1100, height: 1400 } });
  assert.ok(report);
  /** @type {[string, Parameters<typeof report.emulateMedia>[0]][]} */
  const appearances = [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["light-contrast", { colorScheme: "light", contrast: "more" }],
    ["dark-contrast", { colorScheme: "dark", contrast: "more" }],
    ["forced-colors", { forcedColors: "active" }],
  ];
  for (const [name, media] of appearances) {
    await report.emulateMedia(media);
    await report.goto(`file://${required("REPORT")}`);
    await report.keyboard.press("n");
    await report.locator(".turn.here").waitFor();
    await report.screenshot({ path: path.join(required("SCREENSHOTS"), `report-${name}.png`) });
    await screen.checkAccessibility(report, `report, ${name}`);
  }
  await report.close();
};
