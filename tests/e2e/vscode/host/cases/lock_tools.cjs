/** Locking the tools of servers runs `callwright` in a terminal, in the folder; what it says there is its own. */

const assert = require("node:assert/strict");
const vscode = require("vscode");
const { callwright, root, until } = require("../tools.cjs");

module.exports = async () => {
  await callwright();
  /** @type {Map<vscode.TaskExecution, number | undefined>} */
  const ended = new Map();
  const listening = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => ended.set(execution, exitCode));
  try {
    await vscode.commands.executeCommand("callwright.lockTools");
    const [execution, exitCode] = await until("the end of the command", () => [...ended].find(([one]) => one.task.source === "Callwright"));
    const { execution: started } = execution.task;
    assert.ok(started instanceof vscode.ProcessExecution);
    assert.deepEqual(started.args.slice(-3), ["tools", "lock", "--all"]);
    assert.equal(started.options?.cwd, root());
    // No server is named in this folder, which the command says with the exit code of trouble.
    assert.equal(exitCode, 2);
  } finally {
    listening.dispose();
  }
};
