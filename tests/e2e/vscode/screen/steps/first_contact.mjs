/** Prompts of coding agents below no configuration, as they are seen: nothing is underlined but what is wrong. */

import assert from "node:assert/strict";

const BODY = `# Pages

<role>
You keep the pages of a wiki. Use \`grep\` for the sources.
</role>

## find_page
Description: Finds pages of the wiki.
Parameters:
- text: (required) What to look for
- limit: (optional, integer) How many pages, default 10
Usage:
<find_page>
<text>Text to look for</text>
</find_page>

## read_page
Description: Reads a page.
Parameters:
- title: (required) The page's title
Usage:
<read_page>
<title>Title here</title>
</read_page>

<output_format>
<summary>One sentence.</summary>
</output_format>

<find_page>
<text>roadmap</text>
</find_page>
`;
const AGENT = `---
description: Plans pages.
tools: [search, find_page, raed_page]
---
${BODY}`;
const PROMPTS = {
  // Without front matter, of which this version of VS Code has an opinion of its own.
  "wiki/review.prompt.md": BODY,
  "wiki/skills/pages/SKILL.md": `---\nname: pages\ndescription: Keeps the pages.\nallowed-tools: Bash(git log:*) Read mcp__wiki__find_page\n---\n${BODY}`,
  "wiki/AGENTS.md": BODY,
  "wiki/style.mdc": `---\ndescription: Style\nalwaysApply: false\n---\n${BODY}`,
};

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const marked = screen.editor.locator(".squiggly-error, .squiggly-warning, .squiggly-info");
  const known = page.locator(".statusbar-item a").filter({ hasText: "2 tools from this file" }).first();
  for (const [file, text] of Object.entries(PROMPTS)) {
    await screen.create(file, text);
    await known.waitFor();
    assert.equal(await marked.count(), 0, file);
    await screen.screenshot(`first-contact-${file.replace(/^.*\//, "").replaceAll(".", "-")}`);
  }

  await screen.create("wiki/planner.agent.md", AGENT);
  await known.waitFor();
  await screen.goTo(3, "tools: [search, find_page, raed");
  await marked.first().waitFor();
  await screen.command("Show or Focus Hover");
  await page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "did you mean" }).first().waitFor();
  await screen.screenshot("first-contact-listed");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row").filter({ hasText: "Rename to `read_page`" }).first().waitFor();
  await screen.screenshot("first-contact-quick-fix");
  await screen.choose(/Rename to .read_page/);
  await screen.editor.locator(".view-line").filter({ hasText: "read_page]" }).first().waitFor();
  await marked.first().waitFor({ state: "detached" });

  await screen.goTo(3, "tools: [search, fi");
  await page.keyboard.press("F12");
  await page.locator(".statusbar-item").filter({ hasText: /Ln 11, / }).first().waitFor();
  await screen.screenshot("first-contact-definition");

  await page.keyboard.press("Control+End");
  await page.keyboard.type("<fi");
  await screen.suggestions.filter({ hasText: "find_page" }).first().waitFor();
  await screen.screenshot("first-contact-completion");
};
