/** The light bulb beside a fault, clicked, offers what mends it. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const file = "debug/bulb.prompt";
  const text = 'Start it:\n\n\n<debug_lau‸nch>{"program": "a.py", "mode": "pytests"}</debug_launch>\n';
  await screen.create(file, text.replace("‸", "").replace("pytests", "pyte‸sts"));
  await screen.squiggle.waitFor();
  const bulb = screen.page.locator(".editor-group-container.active .lightBulbWidget, .editor-group-container.active [class*=codicon-gutter-lightbulb]");
  await bulb.first().click();
  await screen.choose(/Change to .*pytest/);
  await screen.save(file, text.replace("‸", "").replace("pytests", "pytest"));
  await screen.squiggle.waitFor({ state: "detached" });
};
