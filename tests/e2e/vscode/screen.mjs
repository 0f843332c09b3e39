/**
 * One run through the screen, with keyboard and mouse, as a person would: squiggle, Problems, quick-fix menu, completion.
 *
 * Environment: PORT (of code-server), WORKSPACE (folder to open), RESULTS (file to write), SCREENSHOTS (folder), CHROMIUM.
 * Each step writes its result; a step that fails leaves a screenshot and the next ones are still tried.
 */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { address, openBrowser, required } from "./browser.mjs";

const port = required("PORT");
const workspace = required("WORKSPACE");
const screenshots = required("SCREENSHOTS");

/** @type {Record<string, string | null>} */
const results = {};
const { page, close } = await openBrowser();
const editor = page.locator(".editor-group-container.active .monaco-editor").first();

/** @param {string} name */
const screenshot = (name) => page.screenshot({ path: path.join(screenshots, `screen-${name}.png`) });

/** @param {string} relative */
const onDisk = (relative) => readFileSync(path.join(workspace, relative), "utf8");

/** @param {string} relative */
async function open(relative) {
  await page.goto(address(port, workspace, [["openFile", `vscode-remote://127.0.0.1:${port}${path.join(workspace, relative)}`]]));
  await editor.locator(".view-line").first().waitFor();
}

/** Run a command by its title. @param {string} title */
async function command(title) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input[type=text]");
  await input.waitFor({ state: "visible" });
  await input.fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first().waitFor();
  await page.keyboard.press("Enter");
  await input.waitFor({ state: "hidden" });
}

/** Put the cursor before the first occurrence of a text. @param {string} text */
async function findText(text) {
  await editor.locator(".view-line").first().click();
  await page.keyboard.press("Control+f");
  const input = page.locator(".find-widget.visible textarea[aria-label=Find]").first();
  await input.waitFor();
  await input.fill(text);
  await page.locator(".find-widget.visible .matchesCount").filter({ hasText: /\d of \d/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowLeft");
}

/** Choose an entry of the quick-fix menu. @param {RegExp} title @param {string} name */
async function quickFix(title, name) {
  await page.keyboard.press("Control+.");
  const entry = page.locator(".action-widget .monaco-list-row").filter({ hasText: title }).first();
  await entry.waitFor();
  await screenshot(name);
  const focused = page.locator(".action-widget .monaco-list-row.focused").filter({ hasText: title });
  for (let i = 0; i < 20 && !(await focused.isVisible()); i++) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.locator(".action-widget").waitFor({ state: "hidden" });
}

/** Save and wait until the file on disk is as it should be. @param {string} relative @param {string} expected */
async function save(relative, expected) {
  await page.keyboard.press("Control+s");
  for (let i = 0; i < 100 && onDisk(relative) !== expected; i++) {
    await page.waitForTimeout(50);
  }
  assert.equal(onDisk(relative), expected);
}

/** @param {string} name @param {() => Promise<unknown>} body */
async function step(name, body) {
  try {
    await body();
    results[name] = null;
  } catch (error) {
    results[name] = error instanceof Error ? (error.stack ?? error.message) : String(error);
    await screenshot(`failed-${name}`);
  }
  console.log(results[name] === null ? "ok" : "FAILED", name);
  writeFileSync(required("RESULTS"), JSON.stringify(results, null, 2));
}

page.setDefaultTimeout(20_000);
const prompt = "debug/agent.prompt";
const original = onDisk(prompt);
const converted = original.replace(
  /<debug_launch>.*<\/debug_launch>/,
  '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>',
);

await step("squiggle", async () => {
  await open(prompt);
  // The first start makes a Python environment.
  await editor.locator(".squiggly-error").first().waitFor({ timeout: 240_000 });
  await screenshot("squiggle");
});

await step("status_item", async () => {
  const item = page.locator(".statusbar-item a").filter({ hasText: "xml-json · 2 tools" });
  await item.first().waitFor();
  await item.first().click();
  const rows = page.locator(".quick-input-widget .monaco-list-row");
  for (const text of ["Dialect: xml-json", "Tools: 2 from debug", "Open the configuration", "Show the output", "Restart the server"]) {
    await rows.filter({ hasText: text }).first().waitFor();
  }
  await screenshot("status");
  await page.keyboard.press("Escape");
});

await step("problems", async () => {
  await command("Problems: Focus on Problems View");
  const row = page.locator(".markers-panel .monaco-list-row").filter({ hasText: "`xml-json`" });
  await row.first().waitFor();
  await screenshot("problems");
  assert.match((await row.first().textContent()) ?? "", /callwright\s*\(?TC\d{3}/);
  await page.keyboard.press("Control+j");
});

await step("hover", async () => {
  await findText("debug_set_breakpoint");
  await command("Show or Focus Hover");
  await page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Sets a breakpoint" }).first().waitFor();
  await page.waitForTimeout(300);
  await screenshot("hover");
  await page.keyboard.press("Escape");
});

await step("convert_to_json", async () => {
  await findText("debug_launch><program");
  await quickFix(/Convert .*JSON/, "quick-fix");
  await save(prompt, converted);
  await editor.locator(".squiggly-error").first().waitFor({ state: "detached" });
  await screenshot("converted");
});

await step("completion", async () => {
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n<debug");
  const rows = page.locator(".suggest-widget.visible .monaco-list-row");
  await rows.filter({ hasText: "debug_set_breakpoint" }).first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Space");
  await rows.filter({ hasText: "debug_launch" }).first().waitFor();
  await page.keyboard.press("Control+Space");
  await page.waitForTimeout(300);
  await screenshot("completion");
  await page.keyboard.press("Enter");
  await page.locator(".suggest-widget.visible").waitFor({ state: "detached" }).catch(() => undefined);
  await page.keyboard.type("src/a.py");
  await screenshot("completed");
  await save(prompt, `${converted}\n<debug_launch>{"program": "src/a.py"}</debug_launch>`);
});

await step("wrap_in_cdata", async () => {
  const report = "report/research.prompt";
  const before = onDisk(report);
  await open(report);
  await editor.locator(".squiggly-error").first().waitFor();
  await findText("< b && b <c");
  await quickFix(/CDATA/, "cdata-menu");
  await save(report, before.replace("<content>", "<content><![CDATA[").replace("</content>", "]]></content>"));
  await editor.locator(".squiggly-error").first().waitFor({ state: "detached" });
  // The brackets of the section itself, and those in its text, are no brackets of the document.
  assert.equal(await editor.locator(".view-line .unexpected-closing-bracket").count(), 0);
  await screenshot("cdata");
});

await close();
