/** A prompt that documents its tools is served without any configuration: on its declarations and on its calls. */

import assert from "node:assert/strict";

const TOOLS = `# Tools

## read_file
Description: Reads a file.
Parameters:
- path: (required) The path of the file
- mode: (optional) One of \`text\` or \`binary\`
- limit: (optional, integer) How many lines, default 100
Usage:
<read_file>
<path>File path here</path>
</read_file>

## write_file
Description: Writes a file.
Parameters:
- path: (required) The path of the file
- content: (required) What to write
Usage:
<write_file>
<path>File path here</path>
<content>Content here</content>
</write_file>

## list_files
Description: Lists the files of a folder.
Parameters:
- path: (required) The path of the folder
Usage:
<list_files>
<path>Folder path here</path>
</list_files>

# Examples

<read_file>
<path>a.txt</path>
</read_file>

<write_file>
<pth>a.txt</pth>
<content>b</content>
</write_file>
`;

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const file = "plain/system.prompt";
  await screen.create(file, TOOLS);
  await screen.goTo(41, "<pth");
  await screen.squiggle.waitFor();
  await page.locator(".statusbar-item a").filter({ hasText: "3 tools from this file" }).first().waitFor();
  await screen.command("Explorer: Focus on Outline View");
  for (const name of ["Reads a file.", "limit"]) {
    await page.locator(".outline-tree .monaco-list-row").filter({ hasText: name }).first().waitFor();
  }
  await screen.screenshot("own-tools");

  await screen.goTo(36, "<read_fi");
  await page.keyboard.press("F12");
  await page.locator(".statusbar-item").filter({ hasText: /Ln 3, / }).first().waitFor();
  await screen.command("Show or Focus Hover");
  await page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Reads a file" }).first().waitFor();
  await screen.screenshot("own-tools-hover");
  await page.keyboard.press("Escape");

  await screen.goTo(36, "<read_fi");
  await page.keyboard.press("F2");
  const name = page.locator(".rename-box input.rename-input, .rename-box input").first();
  await name.waitFor();
  await name.fill("open_file");
  await page.keyboard.press("Enter");
  await screen.editor.locator(".view-line").filter({ hasText: "<open_file>" }).first().waitFor();
  await screen.save(file, TOOLS.replaceAll("read_file", "open_file"));

  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n<");
  await screen.suggestions.filter({ hasText: "open_file" }).first().waitFor();
  assert.ok((await screen.suggestions.allTextContents()).some((text) => text.includes("list_files")));
  await screen.screenshot("own-tools-completion");
};
