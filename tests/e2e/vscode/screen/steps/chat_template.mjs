/** A chat template is tried when it is saved: what it crashes on is underlined, fixed, and gone once that is saved. */

import assert from "node:assert/strict";

const ARGUMENTS = "call.function.arguments";
const CALL = `{{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + ${ARGUMENTS} + '}\\n</tool_call>' }}`;
const TEMPLATE = `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.content is string %}
{{- message.content }}
{%- else %}
{%- for part in message.content or [] %}{{- part.text }}{%- endfor %}
{%- endif %}
{%- for call in message.tool_calls or [] %}
${CALL}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
`;
const FIXED = TEMPLATE.replace(ARGUMENTS, `(${ARGUMENTS} if ${ARGUMENTS} is string else ${ARGUMENTS} | tojson)`);

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const file = "models/chat_template.jinja";
  await screen.create(file, TEMPLATE.replace(CALL, "‸"));
  await page.keyboard.insertText(CALL);
  await screen.save(file, TEMPLATE);
  await screen.squiggle.waitFor();
  await screen.command("Problems: Focus on Problems View");
  const row = page.locator(".markers-panel .monaco-list-row").filter({ hasText: "Fails on arguments that are an object" });
  await row.first().waitFor();
  assert.match((await row.first().textContent()) ?? "", /callwright\s*\(?TC833/);
  await screen.screenshot("chat-template");
  await screen.findText("tool_call>\\n{");
  await screen.quickFixes(/Write a string as it is/);
  await screen.screenshot("chat-template-fix");
  await screen.choose(/Write a string as it is/);
  await screen.save(file, FIXED);
  await row.first().waitFor({ state: "detached" });
  await screen.squiggle.waitFor({ state: "detached" });
  // What is gone was tried again, not only changed.
  await screen.command("Callwright: Check This Chat Template");
  const said = page.locator(".notifications-toasts").filter({ hasText: "The chat template has no diagnostics" });
  await said.first().waitFor();
  await screen.screenshot("chat-template-fixed");
  await screen.command("Notifications: Clear All Notifications");
  await page.keyboard.press("Control+j");
};
