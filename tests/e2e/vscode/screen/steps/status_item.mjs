/** The status item says what is in force, and its menu leads to the rest. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  await screen.show("debug/agent.prompt");
  const item = screen.page.locator(".statusbar-item a").filter({ hasText: "xml-json · 2 tools" });
  await item.first().waitFor();
  await item.first().click();
  for (const text of ["Dialect: xml-json", "Tools: 2 from debug", "Open the configuration", "Show the output", "Restart the server"]) {
    await screen.page.locator(".quick-input-widget .monaco-list-row").filter({ hasText: text }).first().waitFor();
  }
  await screen.screenshot("status");
};
