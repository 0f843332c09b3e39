/** The lens above a call that is at fault, clicked, copies what the model would be told. */

import assert from "node:assert/strict";

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  await screen.create("debug/lens.toolcall", 'Start it:\n\n<debug_launch>{"mode": "pytest"}</debug_launch>\n');
  const lens = screen.editor.locator(".codelens-decoration a").filter({ hasText: "Copy feedback for the model" });
  await lens.first().click();
  await screen.page.locator(".statusbar-item").filter({ hasText: "Feedback copied" }).first().waitFor();
  assert.match(await screen.clipboard(), /`program`/);
};
