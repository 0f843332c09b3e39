/** Renaming a tool by its key renames it in the prompt and in the file that defines it. */

import assert from "node:assert/strict";

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const prompt = "debug/agent.prompt";
  const tools = "debug/tools/debug.json";
  screen.keep(prompt);
  screen.keep(tools);
  const before = { prompt: screen.onDisk(prompt), tools: screen.onDisk(tools) };
  await screen.show(prompt);
  await screen.squiggle.waitFor();
  await screen.findText("debug_set_breakpoint");
  await page.keyboard.press("F2");
  const name = page.locator(".rename-box input.rename-input, .rename-box input").first();
  await name.waitFor();
  assert.equal(await name.inputValue(), "debug_set_breakpoint");
  await name.fill("debug_break");
  await screen.screenshot("rename");
  await page.keyboard.press("Enter");
  await screen.editor.locator(".view-line").filter({ hasText: "<debug_break>" }).first().waitFor();
  await screen.command("File: Save All");
  await screen.file(prompt, before.prompt.replaceAll("debug_set_breakpoint", "debug_break"));
  await screen.file(tools, before.tools.replace("debug_set_breakpoint", "debug_break"));
  // From the call to the definition, which bears the new name.
  await screen.findText("debug_break");
  await page.keyboard.press("F12");
  await page.locator(".editor-group-container.active .tab.active").filter({ hasText: "debug.json" }).first().waitFor();
  await screen.editor.locator(".view-line").filter({ hasText: '"debug_break"' }).first().waitFor();
};
