/** While the arguments of a call are typed, its signature shows which one it is. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  await screen.create("debug/signature.prompt", '<debug_launch>{"program": "a.py"‸}</debug_launch>\n');
  await page.keyboard.type(', "mode": "');
  const hints = page.locator(".parameter-hints-widget.visible");
  await hints.filter({ hasText: "debug_launch" }).first().waitFor();
  await hints.locator(".parameter.active").filter({ hasText: "mode" }).first().waitFor();
  await hints.filter({ hasText: "How the program is started" }).first().waitFor();
  await screen.screenshot("signature-help");
};
