/** A server that is killed five times while somebody types comes back each time, and what is found at the end is what stands there. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, clean, create, diagnostic, found, until } = require("../tools.cjs");

module.exports = async () => {
  const api = await callwright();
  // Earlier cases may have used up the restarts that are made without asking.
  await vscode.commands.executeCommand("callwright.restart");
  const editor = await create("debug/killed.prompt", "Calls:\n\n");
  const { document } = editor;
  const call = (/** @type {number} */ i) => `<debug_launch>{"program": "${i}.py", "mode": "slow${i}"}</debug_launch>\n`;
  for (let i = 0; i < 5; i++) {
    await until("a running server", () => (/loading/.test(api.statusText()) ? undefined : api.serverProcess()), () => api.statusText());
    const before = api.serverProcess();
    assert.ok(before);
    // At another character each time; typing goes on while nobody listens.
    for (const [at, character] of [...call(i)].entries()) {
      if (at === 7 + 11 * i) {
        process.kill(before, "SIGKILL");
      }
      const end = document.positionAt(document.getText().length);
      assert.ok(await editor.edit((builder) => builder.insert(end, character)));
    }
    await until("another server", () => (api.serverProcess() !== before ? api.serverProcess() : undefined), () => [api.statusText(), before]);
    // All that was found before is found again, and the new call is looked at, too.
    for (let earlier = 0; earlier <= i; earlier++) {
      await diagnostic(document, new RegExp(`not .*slow${earlier}`), 2 + earlier, 60_000);
    }
  }
  assert.equal(found(document).length, 5, JSON.stringify(found(document).map(({ message }) => message)));
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  assert.ok(await editor.edit((builder) => builder.replace(whole, "Nothing to call.\n")));
  await clean(document);
};
