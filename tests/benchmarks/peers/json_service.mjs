// The JSON language service of VS Code, driven line by line: what it is told comes in JSON, and so does what it took.
//
//     node json_service.mjs FOLDER
//
// FOLDER holds `node_modules`. Each answer has `ms`, the CPU time of the process for what was asked (threads that compile
// and collect included), and `count`, how many findings or completions there are.

import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const load = createRequire(join(process.argv[2], "package.json"));
const { getLanguageService, TextDocument } = load("vscode-json-languageservice");
const service = getLanguageService({});
let document;
let parsed;

async function validate() {
  parsed = service.parseJSONDocument(document);
  return (await service.doValidation(document, parsed)).length;
}

const operations = {
  open({ schema, text }) {
    service.configure({ validate: true, schemas: [{ uri: "schema:///document", fileMatch: ["*.json"], schema }] });
    document = TextDocument.create("file:///document.json", "json", 1, text);
    return validate();
  },
  validate,
  edit({ start, end, text }) {
    const changes = [{ range: { start, end }, text }];
    document = TextDocument.update(document, changes, document.version + 1);
    return validate();
  },
  async complete({ start }) {
    return (await service.doComplete(document, start, parsed)).items.length;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  const before = process.cpuUsage();
  const count = await operations[message.op](message);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(JSON.stringify({ ms: (user + system) / 1000, count }) + "\n");
}
