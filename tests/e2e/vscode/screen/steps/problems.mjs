/** The Problems view lists a finding with its code; the fault mended, the row is gone. */

import assert from "node:assert/strict";

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  await screen.create("debug/problem.prompt", 'A call:\n\n<debug_launch>{"program": "a.py", "mode": "slow‸"}</debug_launch>\n');
  await screen.squiggle.waitFor();
  await screen.command("Problems: Focus on Problems View");
  const row = page.locator(".markers-panel .monaco-list-row").filter({ hasText: "`mode` must be one of" });
  await row.first().waitFor();
  await screen.screenshot("problems");
  assert.match((await row.first().textContent()) ?? "", /callwright\s*\(?TC\d{3}/);
  // From the list to the place, where it is mended.
  await row.first().dblclick();
  await page.locator(".statusbar-item").filter({ hasText: "Ln 3, Col 49 (6 selected)" }).first().waitFor();
  await screen.focused();
  await page.keyboard.type('"pytest"');
  await row.first().waitFor({ state: "detached" });
  await page.keyboard.press("Control+j");
};
