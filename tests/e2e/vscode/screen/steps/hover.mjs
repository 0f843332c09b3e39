/** Hovering tells what a tool is for. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  await screen.show("debug/agent.prompt");
  await screen.squiggle.waitFor();
  await screen.findText("debug_set_breakpoint");
  await screen.command("Show or Focus Hover");
  await screen.page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Sets a breakpoint" }).first().waitFor();
  await screen.screenshot("hover");
};
