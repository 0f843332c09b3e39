/** The view of tools opens from source to tool to parameter, and leads to where a tool is defined. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  await screen.show("debug/agent.prompt");
  await screen.command("Explorer: Focus on Tools of Prompts View");
  const tree = page.locator(".pane").filter({ hasText: "Tools of Prompts" });
  const row = (/** @type {string | RegExp} */ text) => tree.locator(".monaco-list-row").filter({ hasText: text }).first();
  // The tools of the open prompt come once its project is read; until then only shipped ones are there.
  await row(/^debug ?2 tools/).click();
  await page.keyboard.press("ArrowRight");
  await row("debug_launch").waitFor();
  await row("debug_launch").click();
  await page.keyboard.press("ArrowRight");
  await row(/^program/).waitFor();
  await screen.screenshot("tools-view");
};
