/** Takes the pictures that the pages show, each of a state that is asserted: they are left in the artifacts' `images`. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";

import { required } from "../../browser.mjs";

const PROMPT = `You are a debugging assistant. You work in the user's repository, one
step at a time: call one tool, wait for its result, then decide what to do.

Launch the program before you do anything else:

<debug_launch>{"program": "src/app/main.py", "mode": "pytests"}</debug_launch>

Then set a breakpoint where the value goes wrong:

<debug_set_breakpoint>{"path": "src/app/orders.py", "line": "42",}</debug_set_breakpoint>
`;

const CHAT = [
  { role: "user", content: "Why does the import of orders fail? 🐞" },
  { role: "assistant", content: 'I start it.\n<debug_launch>{"program": "import_orders.py", "mode": "pytest"}}</debug_launch>' },
  { role: "user", content: "That was no call. Once more, please." },
  { role: "assistant", content: '<debug_launch>{"program": "import_orders.py", "mode": "slow"}</debug_launch>' },
  { role: "user", content: "`slow` is no mode." },
  { role: "assistant", content: '<debug_launch>{"program": "import_orders.py", "mode": "script"}</debug_launch>' },
];

/** @param {string} name */
function fileOf(name) {
  const folder = path.join(required("SCREENSHOTS"), "images");
  mkdirSync(folder, { recursive: true });
  return path.join(folder, `${name}.png`);
}

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const first = page.viewportSize() ?? { width: 1280, height: 800 };
  const group = page.locator(".editor-group-container.active");
  const bar = page.locator(".part.sidebar");
  /** @param {string} name @param {import("playwright-core").Locator} part @param {number} [height] */
  const take = async (name, part, height) => {
    const box = await part.boundingBox();
    assert.ok(box);
    // No tooltip of what the pointer was on lies over the picture: it would name a folder of this machine.
    await page.mouse.move(box.x + box.width - 30, box.y + box.height - 30);
    await page.locator(".workbench-hover-container, .workbench-hover").first().waitFor({ state: "hidden" });
    await page.screenshot({ path: fileOf(name), clip: { ...box, height: Math.min(box.height, height ?? box.height) } });
  };

  // The tools, before the side bar is closed.
  await screen.create("debug/system.prompt", PROMPT);
  await screen.squiggle.waitFor();
  await screen.command("Explorer: Focus on Tools of Prompts View");
  const files = page.locator(".sidebar .pane-header[aria-expanded=true]").first();
  await files.click();
  const tree = page.locator(".pane").filter({ hasText: "Tools of Prompts" });
  const row = (/** @type {string | RegExp} */ text) => tree.locator(".monaco-list-row").filter({ hasText: text }).first();
  await row(/tools/).click();
  await page.keyboard.press("ArrowRight");
  await row("debug_launch").click();
  await page.keyboard.press("ArrowRight");
  await row(/^program/).waitFor();
  await row(/^stopOnEntry/).waitFor();
  await take("tools-view", tree, 196);
  await page.locator(".sidebar .pane-header").first().click();
  await screen.clear();

  await page.setViewportSize({ width: 960, height: 420 });
  await page.keyboard.press("Control+b");
  await bar.waitFor({ state: "hidden" });
  try {
    await screen.show("debug/system.prompt");
    await screen.goTo(6, '<debug_launch>{"program": "src/app/main.py", "mode": "pyt');
    await screen.command("Show or Focus Hover");
    await page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "must be one of" }).filter({ hasText: "Quick Fix" }).first().waitFor();
    await take("editor", group);
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nLook around:\n\n<debug");
    await screen.suggestions.filter({ hasText: "debug_set_breakpoint" }).first().waitFor();
    await page.keyboard.press("ArrowDown");
    // What there is to say of a tool comes a moment after the list; until then the key does nothing.
    const details = page.locator(".suggest-details").filter({ hasText: "Sets a breakpoint" });
    for (let i = 0; i < 20 && !(await details.isVisible()); i++) {
      await page.keyboard.press("Control+Space");
      await details.waitFor({ timeout: 1_000 }).catch(() => undefined);
    }
    await take("completion", group);
    await page.keyboard.press("Escape");
    await screen.command("File: Revert File");

    await page.setViewportSize({ width: 1440, height: 860 });
    await screen.create("debug/session.jsonl", `${JSON.stringify({ messages: CHAT })}\n`);
    await screen.squiggle.waitFor();
    await screen.command("Callwright: Show Preview");
    await screen.preview().locator(".turn.faulty").nth(1).waitFor();
    assert.match((await screen.preview().locator("main").textContent()) ?? "", /strikes: 2 of 3/);
    await take("preview", page.locator(".editor-group-container").last());
  } finally {
    await page.setViewportSize(first);
    await page.keyboard.press("Control+b");
  }

  const report = await page.context().browser()?.newPage({ viewport: { width: 1000, height: 900 } });
  assert.ok(report);
  await report.goto(`file://${required("REPORT")}`);
  await report.locator(".turn").first().waitFor();
  await report.screenshot({ path: fileOf("report") });
  await report.close();
};
