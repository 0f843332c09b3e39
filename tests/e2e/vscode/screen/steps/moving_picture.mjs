/**
 * Takes the frames of the moving picture that the extension's page shows: a call is typed with a wrong parameter, the
 * parameter is underlined, and a quick fix renames it. They are left in the artifacts' `frames`, with `frames.json`, which
 * says how long each is shown; `moving_picture.py` makes the picture.
 *
 * Nothing in it depends on how fast this machine is: a frame is taken when the editor has come to rest, and is shown for as
 * long as it takes to read it.
 */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { required } from "../../browser.mjs";

const FILE = "wiki/reviewer.prompt";
const HEAD = `## read_file
Description: Read a file.
Parameters:
- path: (required) The path of the file.
- limit: (optional, integer) How many lines to read.

`;
const TYPED = "<read_file><pth>src/app.py</pth></read_file>";
const FIXED = TYPED.replaceAll("pth", "path");
/** Only the text moves: no blinking cursor, and no list of suggestions, which would write the call correctly. What opens
    lies below the call. */
const SETTINGS = {
  "breadcrumbs.enabled": false,
  "editor.cursorBlinking": "solid",
  "editor.lightbulb.enabled": "off",
  "editor.hover.above": false,
  "editor.linkedEditing": false,
  "editor.occurrencesHighlight": "off",
  "editor.matchBrackets": "never",
  "editor.stickyScroll.enabled": false,
  "[callwright-prompt]": {
    "editor.autoClosingBrackets": "never",
    "editor.linkedEditing": false,
    "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
    "editor.suggestOnTriggerCharacters": false,
  },
};
/** How long a frame is shown while someone types, and how many characters are typed between two. */
const KEYSTROKE = 140;
const CHARACTERS = 2;

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const folder = path.join(required("SCREENSHOTS"), "frames");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  /** @type {[string, number][]} */
  const frames = [];
  const group = page.locator(".editor-group-container.active");
  const bar = page.locator(".part.sidebar");
  const marks = screen.editor.locator("[class*=squiggly-]");

  /** Wait until the editor has not changed for a while: neither the text and its colours nor what is below it. */
  const rest = async () => {
    let last = "";
    let since = Date.now();
    await screen.until(async () => {
      const now = await group.evaluate((shown) => shown.outerHTML);
      if (now !== last) {
        [last, since] = [now, Date.now()];
      }
      return Date.now() - since > 600;
    });
  };
  /** @param {number} shown for how many milliseconds */
  const take = async (shown) => {
    const clip = await group.boundingBox();
    assert.ok(clip);
    const name = `${String(frames.length).padStart(3, "0")}.png`;
    await page.screenshot({ path: path.join(folder, name), clip, animations: "disabled" });
    frames.push([name, shown]);
  };

  const first = page.viewportSize() ?? { width: 1280, height: 800 };
  screen.write(".vscode/settings.json", JSON.stringify(SETTINGS));
  await page.setViewportSize({ width: 800, height: 440 });
  await page.keyboard.press("Control+b");
  await bar.waitFor({ state: "hidden" });
  try {
    await screen.create(FILE, `${HEAD}‸\n`);
    await page.locator(".statusbar-item a").filter({ hasText: "1 tool from this file" }).first().waitFor();
    await page.mouse.move(780, 380);
    await rest();
    await take(1200);
    for (let at = 0; at < TYPED.length; at += CHARACTERS) {
      await page.keyboard.type(TYPED.slice(at, at + CHARACTERS));
      await screen.until(async () => (await screen.text()).includes(TYPED.slice(0, at + CHARACTERS)));
      await rest();
      await take(KEYSTROKE);
    }
    assert.ok((await screen.text()).includes(TYPED), await screen.text());
    await screen.squiggle.waitFor();
    await take(1200);

    await screen.goTo(HEAD.split("\n").length, "<read_file><p");
    await screen.command("Show or Focus Hover");
    const hover = page.locator(".monaco-hover:not(.hidden)");
    await hover.filter({ hasText: "did you mean" }).filter({ hasText: "Quick Fix" }).first().waitFor();
    await rest();
    await take(2800);
    await page.keyboard.press("Escape");
    await hover.first().waitFor({ state: "hidden" });

    await screen.quickFixes(/Rename to .path/);
    await rest();
    await take(2000);
    await screen.choose(/Rename to .path/);
    await screen.editor.locator(".view-line").filter({ hasText: FIXED }).first().waitFor();
    await screen.squiggle.waitFor({ state: "detached" });
    await page.keyboard.press("End");
    await rest();
    assert.equal(await marks.count(), 0);
    await take(2600);
    await screen.command("File: Revert File");
  } finally {
    await page.setViewportSize(first);
    await page.keyboard.press("Control+b");
  }
  writeFileSync(path.join(folder, "frames.json"), JSON.stringify(frames));
};
