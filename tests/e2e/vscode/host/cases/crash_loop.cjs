/** A server that dies again and again is given up, not restarted for ever; the restart command starts it again. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, diagnostic, open, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  await vscode.commands.executeCommand("callwright.restart");
  const { document } = await open("debug/agent.prompt");
  let kills = 0;
  for (; kills < 10 && !api.statusText().includes("$(error)"); kills++) {
    const before = api.serverProcess();
    assert.ok(before);
    // A crash counts once the server is there: one that dies while it starts has failed, not crashed.
    await until("a running server", () => (/loading/.test(api.statusText()) ? undefined : true), () => api.statusText());
    process.kill(before, "SIGKILL");
    await until(
      "another server, or none",
      () => (api.statusText().includes("$(error)") || (api.serverProcess() !== undefined && api.serverProcess() !== before) ? true : undefined),
      () => [api.statusText(), api.serverProcess(), before],
    );
  }
  assert.equal(kills, 6, "five restarts, then no more");
  await vscode.commands.executeCommand("callwright.restart");
  await diagnostic(document, /`xml-json`/);
};
