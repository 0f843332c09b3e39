/** Calls and their arguments stand in the outline and above the editor; a call folds; its tool is found by name. */

import assert from "node:assert/strict";

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  await screen.create("debug/outline.prompt", 'Go:\n\n<debug_launch>\n{\n  "program": "a‸.py",\n  "mode": "pytest"\n}\n</debug_launch>\nDone.\n');
  const crumbs = page.locator(".breadcrumbs-control .monaco-breadcrumb-item");
  await crumbs.filter({ hasText: "debug_launch" }).first().waitFor();
  await crumbs.filter({ hasText: "program" }).first().waitFor();

  await screen.command("Explorer: Focus on Outline View");
  const outline = page.locator(".outline-tree .monaco-list-row");
  for (const name of ["debug_launch", "program", "mode"]) {
    await outline.filter({ hasText: name }).first().waitFor();
  }
  await outline.filter({ hasText: "mode" }).first().dblclick();
  await page.locator(".statusbar-item").filter({ hasText: /Ln 6, / }).first().waitFor();

  await screen.goTo(3, "");
  await page.keyboard.press("Control+Shift+[");
  await screen.editor.locator(".view-line").filter({ hasText: "pytest" }).first().waitFor({ state: "detached" });
  assert.ok((await screen.text()).includes("Done."));
  await page.keyboard.press("Control+Shift+]");
  await screen.editor.locator(".view-line").filter({ hasText: "pytest" }).first().waitFor();

  await page.keyboard.press("Control+t");
  await screen.input.waitFor({ state: "visible" });
  await screen.input.fill("#debug_set");
  await screen.rows.filter({ hasText: "debug_set_breakpoint" }).filter({ hasText: "debug.json" }).first().click();
  await page.locator(".editor-group-container.active .tab.active").filter({ hasText: "debug.json" }).first().waitFor();
};
