/** The walkthrough opens by its command; its buttons do what they say, each step is ticked off, and the sample opens. */

import assert from "node:assert/strict";

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const start = async () => {
    await screen.ask("Welcome: Open Walkthrough");
    const choice = screen.rows.filter({ hasText: "Get Started with Callwright" });
    await choice.first().waitFor();
    await screen.input.fill("Callwright");
    await screen.rows.first().filter({ hasText: "Get Started with Callwright" }).waitFor();
    await page.keyboard.press("Enter");
    await steps.first().waitFor();
  };
  const steps = page.locator(".getting-started-step");
  const step = (/** @type {string} */ title) => steps.filter({ has: page.locator("h3", { hasText: title }) }).first();
  const done = (/** @type {string} */ title) => step(title).locator(".codicon.complete").first();
  /** Open a step and press its button. @param {string} title @param {string} label */
  const press = async (title, label) => {
    const button = step(title).locator("a, .monaco-button").filter({ hasText: label }).first();
    if (!(await button.isVisible())) {
      await step(title).locator("h3").click();
    }
    await button.click();
  };

  await screen.show("debug/agent.prompt");
  await screen.squiggle.waitFor();
  await start();
  await screen.screenshot("walkthrough");

  await press("Know your tools", "Show the Tools");
  await page.locator(".pane").filter({ hasText: "Tools of Prompts" }).locator(".monaco-list-row").first().waitFor();
  await done("Know your tools").waitFor();

  await press("Configure your own folder", "Show Status");
  await screen.rows.filter({ hasText: "Restart the server" }).first().waitFor();
  await page.keyboard.press("Escape");
  await start();
  await done("Configure your own folder").waitFor();

  await press("Read a transcript", "Show Preview");
  await start();
  await done("Read a transcript").waitFor();

  await press("See what is wrong", "Fix All");
  await start();
  await done("See what is wrong").waitFor();

  const opened = page.context().waitForEvent("page");
  await press("Open the sample", "Open the Sample");
  const allow = page.locator(".monaco-dialog-box .monaco-button").first();
  const sample = await Promise.race([opened, allow.waitFor().then(() => allow.click()).then(() => opened)]);
  await sample.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: "callwright.toml" }).first().waitFor();
  for (const name of ["tools", "docs", "transcripts"]) {
    assert.ok(await sample.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: name }).first().isVisible(), name);
  }
  await sample.close();
  await done("Open the sample").waitFor();
};
