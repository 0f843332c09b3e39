/** The server runs in the environment that the extension made, and nothing of the open folder was imported. */

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { callwright, open, root } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  await open("debug/agent.prompt");
  const command = readFileSync(`/proc/${api.serverProcess()}/cmdline`, "utf8").split("\0");
  assert.match(command[0] ?? "", /globalStorage\/callwright\.callwright\/server-[^/]+\/bin\/python$/);
  assert.deepEqual(command.slice(1, 5), ["-P", "-m", "callwright", "server"]);
  const libraries = readFileSync(`/proc/${api.serverProcess()}/maps`, "utf8");
  assert.ok(!libraries.includes(root()), "no library of the open folder is loaded");
};
