/**
 * One run through the screen, with keyboard and mouse, as a person would: squiggle, Problems, quick-fix menu, completion.
 *
 * Environment: PORT (of code-server), WORKSPACE (folder to open), RESULTS (file to write), SCREENSHOTS (folder), CHROMIUM,
 * REPORT (a page that `callwright report` has written).
 * Each step writes its result; a step that fails leaves a screenshot and the next ones are still tried.
 */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { address, openBrowser, required } from "./browser.mjs";

const port = required("PORT");
const workspace = required("WORKSPACE");
const screenshots = required("SCREENSHOTS");

const AXE = readFileSync(createRequire(new URL("../../../client-vscode/package.json", import.meta.url)).resolve("axe-core/axe.min.js"), "utf8");

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

/** What a theme makes of the page's body, and its name in the settings. @type {[string, string][]} */
const THEMES = [
  ["vscode-dark", "Dark Modern"],
  ["vscode-light", "Light Modern"],
  ["vscode-high-contrast", "Dark High Contrast"],
];

/** @param {string} theme */
async function setTheme(theme) {
  const input = page.locator(".quick-input-widget input[type=text]");
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await editor.locator(".view-line").first().click();
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+t");
  await input.waitFor({ state: "visible" });
  await input.fill(theme);
  await rows.filter({ hasText: theme }).first().waitFor();
  await page.keyboard.press("Enter");
  await input.waitFor({ state: "hidden" });
}

/**
 * Assert that axe finds nothing serious. @param {import("playwright-core").FrameLocator | import("playwright-core").Page} where
 * @param {string} name
 */
async function checkAccessibility(where, name) {
  const owner = await (await where.locator("html").elementHandle())?.ownerFrame();
  assert.ok(owner);
  // Given as a whole, the text runs whatever the page's own policy is.
  await owner.evaluate(AXE);
  const found = await owner.evaluate(async () => {
    const { violations } = await /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ["violations"] });
    return violations.map((/** @type {any} */ each) => ({
      rule: each.id,
      impact: each.impact,
      where: each.nodes.slice(0, 3).map((/** @type {any} */ node) => `${node.target.join(" ")}: ${node.failureSummary}`),
    }));
  });
  const serious = found.filter((/** @type {any} */ each) => ["serious", "critical"].includes(each.impact));
  assert.deepEqual(serious, [], `accessibility of ${name}: ${JSON.stringify(found, null, 2)}`);
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

/** The page of the preview: VS Code shows it in a frame in a frame. */
const preview = () => page.frameLocator("iframe.webview.ready").frameLocator("iframe[title]");

await step("preview", async () => {
  const messages = [
    { role: "user", content: "Start it 🐞." },
    { role: "assistant", content: 'Here:\n<debug_launch>{"program": "a.py"</debug_launch>' },
    { role: "user", content: "Once more." },
    { role: "assistant", content: '<debug_launch>{"program": "a.py", "mode": "pytest"}</debug_launch>' },
  ];
  writeFileSync(path.join(workspace, "debug/session.jsonl"), `${JSON.stringify({ messages })}\n`);
  await open("debug/session.jsonl");
  await editor.locator(".squiggly-error").first().waitFor({ timeout: 60_000 });
  await command("Callwright: Show Preview");
  const frame = preview();
  await frame.locator(".turn.faulty").first().waitFor();
  const told = await frame.locator("#head").textContent();
  // The page follows what is typed, and nothing of it is lost on the way.
  await editor.locator(".view-line").first().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(1_000);
  assert.equal(await frame.locator(".turn").count(), messages.length);
  assert.equal(await frame.locator("#head").textContent(), told);
  await page.keyboard.press("Control+s");
  for (const [name, theme] of THEMES) {
    await setTheme(theme);
    await frame.locator(`body.${name}`).waitFor({ state: "attached" });
    await page.waitForTimeout(300);
    await screenshot(`preview-${name.replace("vscode-", "")}`);
    await checkAccessibility(frame, name);
  }
  await setTheme("Dark Modern");
});

await step("preview_to_editor", async () => {
  const frame = preview();
  await frame.locator("#next").click();
  assert.match((await frame.locator("#status").textContent()) ?? "", /^1 \/ \d+$/);
  await frame.locator(".turn.here .call button.place").first().click();
  await page.locator(".statusbar-item").filter({ hasText: /Ln \d+, Col (?!1\b)\d+/ }).first().waitFor();
  // And back: the cursor in the editor chooses the turn.
  await page.keyboard.press("Control+Home");
  await frame.locator(".turn").first().waitFor();
  await page.waitForTimeout(300);
  await screenshot("preview-jump");
});

await step("tools_view", async () => {
  await command("Explorer: Focus on Tools of Prompts View");
  const tree = page.locator(".pane").filter({ hasText: "Tools of Prompts" });
  const row = tree.locator(".monaco-list-row").filter({ hasText: /tools/ }).first();
  await row.waitFor();
  await row.click();
  await page.keyboard.press("ArrowRight");
  await tree.locator(".monaco-list-row").filter({ hasText: "debug_launch" }).first().waitFor();
  await screenshot("tools-view");
});

await step("report", async () => {
  const report = await page.context().browser()?.newPage({ viewport: { width: 1100, height: 1400 } });
  assert.ok(report);
  for (const scheme of /** @type {const} */ (["light", "dark"])) {
    await report.emulateMedia({ colorScheme: scheme });
    await report.goto(`file://${required("REPORT")}`);
    await report.keyboard.press("n");
    await report.locator(".turn.here").waitFor();
    await report.screenshot({ path: path.join(screenshots, `report-${scheme}.png`) });
    await checkAccessibility(report, `report in ${scheme}`);
  }
  await report.emulateMedia({ forcedColors: "active" });
  await report.screenshot({ path: path.join(screenshots, "report-forced-colors.png") });
  await report.close();
});

await close();
