/** A call is completed while it is typed: its tool, then its values, with text behind the cursor. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const file = "debug/completion.prompt";
  await screen.create(file, "First ‸, then wait.\n");
  await page.keyboard.type("<debug");
  await screen.suggestions.filter({ hasText: "debug_set_breakpoint" }).first().waitFor();
  const launch = screen.suggestions.filter({ hasText: "debug_launch" });
  await launch.first().waitFor();
  await screen.screenshot("completion");
  await page.keyboard.type("_launch");
  await screen.suggestions.filter({ hasText: "debug_set_breakpoint" }).first().waitFor({ state: "hidden" });
  await page.locator(".suggest-widget.visible .monaco-list-row.focused").filter({ hasText: "debug_launch" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".suggest-widget.visible").waitFor({ state: "hidden" });
  // The cursor stands where the value of what is required goes.
  await page.keyboard.type("src/a.py");
  await page.keyboard.press("Tab");
  await screen.save(file, 'First <debug_launch>{"program": "src/a.py"}</debug_launch>, then wait.\n');
};
