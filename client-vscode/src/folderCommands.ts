/**
 * The commands about a folder: check it, give it a configuration, begin a tool file.
 *
 * Must not know: what is checked or written; the server's program does it, with other arguments.
 */

import { type Disposable, ProcessExecution, Task, TaskPanelKind, TaskRevealKind, Uri, type WorkspaceFolder, commands, l10n, tasks, window, workspace } from "vscode";
import type { Executable } from "vscode-languageclient/node";

import { ownWords } from "./lockTools";
import { run } from "./processes";

const CONFIGURATION = "callwright.toml";

/** Register the commands; `serving` returns how the running server was started. */
export function folderCommands(serving: () => Executable | undefined): Disposable[] {
  return [
    commands.registerCommand("callwright.checkWorkspace", () => checkWorkspace(serving())),
    commands.registerCommand("callwright.createConfiguration", () => createConfiguration(serving())),
    commands.registerCommand("callwright.newToolFile", newToolFile),
  ];
}

/** The server's program, for other arguments; undefined, with a message, where none is known. */
function program(server: Executable | undefined): { command: string; words: readonly string[]; env: NodeJS.ProcessEnv | undefined } | undefined {
  const words = ownWords(server);
  if (server === undefined || words === undefined) {
    void window.showErrorMessage(l10n.t("The Callwright server is not running. Restart it first."));
    return undefined;
  }
  return { command: server.command, words, env: server.options?.env as NodeJS.ProcessEnv | undefined };
}

/** Check every folder in a terminal of its own, as the command line and CI would. */
async function checkWorkspace(server: Executable | undefined): Promise<void> {
  const folders = workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    void window.showInformationMessage(l10n.t("No folder is open."));
    return;
  }
  const known = program(server);
  if (known === undefined) {
    return;
  }
  const env = Object.fromEntries(Object.entries(known.env ?? {}).filter((pair): pair is [string, string] => pair[1] !== undefined));
  for (const folder of folders) {
    // A process, not a shell, so that nothing in a path is interpreted.
    const execution = new ProcessExecution(known.command, [...known.words, "check"], { cwd: folder.uri.fsPath, env });
    const task = new Task({ type: "callwright" }, folder, l10n.t("check {0}", folder.name), "Callwright", execution);
    task.presentationOptions = { reveal: TaskRevealKind.Always, panel: TaskPanelKind.Dedicated, clear: true };
    await tasks.executeTask(task);
  }
}

/** Run `callwright init` in a folder; a configuration that exists already is shown. */
async function createConfiguration(server: Executable | undefined): Promise<void> {
  const folder = await chosenFolder();
  if (folder === undefined) {
    return;
  }
  const file = Uri.joinPath(folder.uri, CONFIGURATION);
  const known = program(server);
  if (known === undefined) {
    return;
  }
  const outcome = await run(known.command, [...known.words, "init"], {
    cwd: folder.uri.fsPath,
    timeout: 60_000,
    ...(known.env === undefined ? {} : { env: known.env }),
  });
  if (outcome.code !== 0) {
    void window.showErrorMessage(l10n.t("The configuration was not written: {0}", outcome.stderr.trim()));
  }
  const there = await workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  if (there) {
    await window.showTextDocument(file);
  }
}

/** The folder that is meant: the only one, or the one that is picked. */
async function chosenFolder(): Promise<WorkspaceFolder | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    void window.showInformationMessage(l10n.t("No folder is open."));
  }
  return folders.length > 1 ? window.showWorkspaceFolderPick() : folders[0];
}

/** Begin a tool file from the snippet, in an editor of its own. */
async function newToolFile(): Promise<void> {
  await window.showTextDocument(await workspace.openTextDocument({ language: "json" }));
  await commands.executeCommand("editor.action.insertSnippet", { langId: "json", name: "Tool file" });
}
