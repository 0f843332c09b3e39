/** What is typed into an opening tag is typed into its closer, and only there. */

/** @param {import("../hands.mjs").Screen} screen */
export default async (screen) => {
  const { page } = screen;
  const file = "debug/linked.prompt";
  const call = (/** @type {string} */ name) => `🐞 <${name}>{"program": "debug_lunch"}</${name}>\n`;
  await screen.create(file, call("debug_lunch").replace("lunch", "l‸unch"));
  await screen.linked(call("debug_lunch").trimEnd());
  await page.keyboard.type("a");
  await screen.save(file, call("debug_launch").replace('"debug_launch"', '"debug_lunch"'));
};
