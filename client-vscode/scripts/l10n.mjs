// Writes l10n/bundle.l10n.json anew from the sources, and says which words lack a translation or are translated in vain.
// usage: node scripts/l10n.mjs
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { getL10nJson } from "@vscode/l10n-dev";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = path.join(root, "l10n");

/** @param {string} file @returns {Record<string, unknown>} */
const read = (file) => JSON.parse(readFileSync(path.join(folder, file), "utf8"));

const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")).sort();
const contents = sources.map((name) => ({ extension: ".ts", contents: readFileSync(path.join(root, "src", name), "utf8") }));
const words = await getL10nJson(contents);
const sorted = Object.fromEntries(Object.keys(words).sort().map((key) => [key, words[key]]));
writeFileSync(path.join(folder, "bundle.l10n.json"), `${JSON.stringify(sorted, undefined, 2)}\n`);

for (const file of readdirSync(folder).filter((name) => /^bundle\.l10n\.\w+\.json$/.test(name))) {
  const translated = read(file);
  for (const key of Object.keys(sorted).filter((each) => !(each in translated))) {
    console.log(`${file} lacks ${JSON.stringify(key)}`);
  }
  for (const key of Object.keys(translated).filter((each) => !(each in sorted))) {
    console.log(`${file} translates in vain ${JSON.stringify(key)}`);
  }
}
