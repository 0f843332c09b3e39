/** The menu of quick fixes converts a call that is written in another dialect. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const prompt = "debug/agent.prompt";
  screen.keep(prompt);
  const converted = screen
    .onDisk(prompt)
    .replace(
      /<debug_launch>.*<\/debug_launch>/,
      '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>',
    );
  await screen.show(prompt);
  await screen.squiggle.waitFor();
  await screen.findText("debug_launch><program");
  await screen.quickFixes(/Convert .*JSON/);
  await screen.screenshot("quick-fix");
  await screen.choose(/Convert .*JSON/);
  await screen.save(prompt, converted);
  await screen.squiggle.waitFor({ state: "detached" });
};
