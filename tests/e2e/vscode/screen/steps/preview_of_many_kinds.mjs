/** The preview is accessible in every theme, whatever a transcript holds: thinking, results, errors, long lines, nothing, much. */

import { THEMES } from "../hands.mjs";

const RICH = {
  messages: [
    { role: "system", content: "You are a debugging assistant." },
    { role: "user", content: "Why does it fail? 🐞" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: 'I could call <debug_launch>{"program": "a.py"}</debug_launch>.', signature: "c2ln" },
        { type: "text", text: "I start it." },
        { type: "tool_use", id: "toolu_1", name: "debug_launch", input: { program: "a.py" } },
        { type: "tool_use", id: "toolu_2", name: "debug_lunch", input: { program: 1, mode: "slow" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "Stopped at line 1." },
        { type: "tool_result", tool_use_id: "toolu_2", is_error: true, content: [{ type: "text", text: "No such tool: <b>debug_lunch</b>" }] },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "It stopped at the first line." }] },
  ],
};
const LONG = {
  messages: [
    { role: "user", content: "x".repeat(20_000) },
    { role: "assistant", content: `<debug_launch>{"program": "${"long_name/".repeat(2_000)}", "mode": "${"y".repeat(5_000)}"}</debug_launch>` },
  ],
};
const TURN = [
  { role: "user", content: `Start it again. ${"Some more words. ".repeat(1_000)}` },
  { role: "assistant", content: '<debug_launch>{"program": "a.py", "mode": "slow"}</debug_launch>' },
];
const MUCH = { messages: Array.from({ length: 60 }, () => TURN).flat() };

/** @type {[string, string][]} */
const FILES = [
  ["rich.jsonl", `${JSON.stringify(RICH)}\n`],
  ["long.jsonl", `${JSON.stringify(LONG)}\n`],
  ["empty.jsonl", `${JSON.stringify({ messages: [] })}\n`],
];

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  for (const [name, text] of FILES) {
    screen.write(`debug/${name}`, text);
  }
  const head = screen.preview().locator("#head");
  await screen.show("debug/rich.jsonl");
  await screen.squiggle.waitFor();
  await screen.command("Callwright: Show Preview");
  for (const [look, theme] of THEMES) {
    for (const [name] of FILES) {
      await screen.show(`debug/${name}`);
      await head.filter({ hasText: name }).waitFor();
      if (name === FILES[0]?.[0]) {
        await screen.setTheme(theme);
      }
      await screen.preview().locator(`body.${look}`).waitFor({ state: "attached" });
      await screen.screenshot(`preview-${path(name)}-${look.replace("vscode-", "")}`);
      await screen.checkAccessibility(screen.preview(), `${name} in ${theme}`);
    }
  }
  await screen.create("debug/much.jsonl", `${JSON.stringify(MUCH)}\n`);
  await head.filter({ hasText: "much.jsonl" }).waitFor({ timeout: 60_000 });
  await screen.preview().locator(".turn.faulty").first().waitFor();
  // Judging the contrast of each of so many words takes minutes; they look as those above.
  await screen.checkAccessibility(screen.preview(), "a megabyte", ["color-contrast"]);
};

/** @param {string} name */
const path = (name) => name.replace(/\..*/, "");
