/**
 * Runs the files of a folder that are asked for, one after another, inside the extension host, and writes what each found.
 *
 * A case exports a function that is given the tools of `tools.cjs` and throws where something is not as it should be.
 */

const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");

const { closeAll, restore, root } = require("./tools.cjs");

exports.run = async function run() {
  const { results: file, suite, cases } = JSON.parse(readFileSync(path.join(root(), ".e2e.json"), "utf8"));
  /** @type {Record<string, string | null>} */
  const results = {};
  const folder = path.join(__dirname, suite);
  for (const name of readdirSync(folder).sort()) {
    const { name: title } = path.parse(name);
    if (!cases.includes(title)) {
      continue;
    }
    const started = Date.now();
    results[title] = (await failure(require(path.join(folder, name)))) ?? (await failure(closeAll));
    restore();
    console.log(`${results[title] === null ? "ok" : "FAILED"} ${title} ${Date.now() - started} ms`);
    writeFileSync(file, JSON.stringify(results, null, 2));
  }
};

/** What went wrong, or null. @param {() => Promise<unknown>} body @returns {Promise<string | null>} */
async function failure(body) {
  try {
    await body();
    return null;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
