/**
 * The screen, with keyboard and mouse, as a person uses it: runs the steps of `screen/steps/`, one after another.
 *
 * Environment: PORT (of code-server), WORKSPACE (folder to open), SELECTED (names of steps, between commas), RESULTS (file to
 * write), SCREENSHOTS (folder), CHROMIUM, REPORT and CORPUS_REPORT (pages that `callwright report` and `callwright corpus
 * report` have written).
 * A step exports a function that is given the screen and throws where something is not as it should be. Each starts with no
 * editor open and the files as they were; one that fails leaves a screenshot, and the next ones are still tried.
 */

import { writeFileSync } from "node:fs";

import { required } from "./browser.mjs";
import { Screen } from "./screen/hands.mjs";

/** @type {Record<string, string | null>} */
const results = {};
const screen = await Screen.open();

/** What goes wrong in a step, or null. @param {string} name @param {() => Promise<unknown>} body @returns {Promise<string | null>} */
async function failure(name, body) {
  try {
    await body();
    return null;
  } catch (error) {
    await screen.screenshot(`failed-${name}`);
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

let fresh = false;
for (const name of required("SELECTED").split(",").sort()) {
  const started = Date.now();
  const { default: step } = await import(new URL(`screen/steps/${name}.mjs`, import.meta.url).href);
  results[name] = await failure(name, async () => {
    await (fresh ? screen.clear() : screen.start());
    await step(screen);
  });
  screen.restore();
  // After a failure nobody knows what is open: the next step starts with a new page.
  fresh = results[name] === null;
  console.log(`${fresh ? "ok" : "FAILED"} ${name} ${Date.now() - started} ms`);
  writeFileSync(required("RESULTS"), JSON.stringify(results, null, 2));
}
await screen.close();
