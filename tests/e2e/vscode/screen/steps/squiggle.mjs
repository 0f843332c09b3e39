/** A fault is underlined in a file that is opened. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  await screen.show("debug/agent.prompt");
  await screen.squiggle.waitFor();
  await screen.screenshot("squiggle");
};
