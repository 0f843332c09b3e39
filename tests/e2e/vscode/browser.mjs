/**
 * The screen: a headless Chromium that shows a running code-server.
 *
 * Environment: CHROMIUM, path of the browser. Must not know: what is tested.
 */

import { createRequire } from "node:module";

// The extension's folder holds the one set of Node packages there is.
const require = createRequire(new URL("../../../client-vscode/package.json", import.meta.url));
/** @type {import("playwright-core")} */
const { chromium } = require("playwright-core");

/** The value of an environment variable that has to be there. @param {string} name */
export function required(name) {
  const value = process.env[name];
  if (value === undefined || value === "") {
    throw new Error(`${name} is not set: the tests in tests/e2e start this program`);
  }
  return value;
}

/** Open a browser with one page; `close` ends both. */
export async function openBrowser() {
  const browser = await chromium.launch({
    executablePath: required("CHROMIUM"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--force-color-profile=srgb"],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5, reducedMotion: "reduce" });
  return { page, close: () => browser.close() };
}

/** The address that shows a folder, or the folders of a `.code-workspace` file. @param {string} port @param {string} folder @param {[string, string][]} payload */
export function address(port, folder, payload = []) {
  const query = new URLSearchParams(folder.endsWith(".code-workspace") ? { workspace: folder } : { folder });
  if (payload.length > 0) {
    query.set("payload", JSON.stringify(payload));
  }
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}
