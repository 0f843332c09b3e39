/** The status item says which dialect and which tools are in force for the file in front. */

const assert = require("node:assert/strict");
const { callwright, open, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  await open("debug/agent.prompt");
  await until("the status of the file", () => (api.statusText() === "$(tools) xml-json · 2 tools" ? true : undefined), () => api.statusText());
  const details = api.statusDetails().join("\n");
  assert.match(details, /^Tools: 2 from .*debug/m);
  assert.match(details, /^Configuration: .*debug\/callwright\.toml$/m);
  assert.match(details, /^Server: bundled, in a private environment$/m);
  await open("report/research.prompt");
  await until("the status of another folder", () => (api.statusText() === "$(tools) tool-call-xml · 1 tool" ? true : undefined), () => api.statusText());
};
