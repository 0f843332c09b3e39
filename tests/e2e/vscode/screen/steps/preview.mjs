/** The preview follows what is typed and the theme, jumps both ways with the editor, and is accessible in every theme. */

import assert from "node:assert/strict";

import { THEMES } from "../hands.mjs";

const MESSAGES = [
  { role: "user", content: "Start it 🐞." },
  { role: "assistant", content: 'Here:\n<debug_launch>{"program": "a.py"</debug_launch>' },
  { role: "user", content: "Once more." },
  { role: "assistant", content: '<debug_launch>{"program": "a.py", "mode": "pytest"}</debug_launch>' },
];

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  await screen.create("debug/session.jsonl", `${JSON.stringify({ messages: MESSAGES })}\n`);
  await screen.squiggle.waitFor();
  await screen.command("Callwright: Show Preview");
  const frame = screen.preview();
  const faulty = frame.locator(".turn.faulty");
  await faulty.first().waitFor();
  assert.equal(await frame.locator(".turn").count(), MESSAGES.length);
  const told = await frame.locator("#head").textContent();

  // The page follows what is typed, and nothing of it is lost on the way.
  await screen.findText("</debug_launch>");
  await page.keyboard.type("}");
  await faulty.first().waitFor({ state: "detached" });
  assert.equal(await frame.locator(".turn").count(), MESSAGES.length);
  assert.notEqual(await frame.locator("#head").textContent(), told);
  await page.keyboard.press("Backspace");
  await faulty.first().waitFor();
  assert.equal(await frame.locator("#head").textContent(), told);
  await page.keyboard.press("Control+s");

  for (const [name, theme] of THEMES) {
    await screen.setTheme(theme);
    await frame.locator(`body.${name}`).waitFor({ state: "attached" });
    await screen.screenshot(`preview-${name.replace("vscode-", "")}`);
    await screen.checkAccessibility(frame, name);
  }
  await screen.setTheme("Dark Modern");

  // From the page to the place in the file.
  await frame.locator("#next").click();
  assert.match((await frame.locator("#status").textContent()) ?? "", /^1 \/ \d+$/);
  await frame.locator(".turn.here .call button.place").first().click();
  const [before = ""] = screen.onDisk("debug/session.jsonl").split("<debug_launch>");
  await screen.place(1, [...before].length + 1);
  // And back: the cursor in the editor chooses the turn.
  await screen.findText("Once more");
  await frame.locator(".turn.here").filter({ hasText: "Once more." }).waitFor();
  await screen.screenshot("preview-jump");
};
