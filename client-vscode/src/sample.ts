/**
 * "Open the Sample Workspace": the workspace of `callwright demo`, written to the extension's own storage and opened.
 *
 * Must not know: what is in the workspace.
 */

import { Uri, commands, l10n, window } from "vscode";
import type { Executable } from "vscode-languageclient/node";

import { ownWords } from "./lockTools";
import { run } from "./processes";

/** Write the sample again and open it in a window of its own; `storage` is the extension's folder. */
export async function openSample(server: Executable | undefined, storage: Uri): Promise<void> {
  const words = ownWords(server);
  if (server === undefined || words === undefined) {
    void window.showErrorMessage(l10n.t("The Callwright server is not running, so the sample cannot be written. Restart the server first."));
    return;
  }
  const folder = Uri.joinPath(storage, "sample");
  const outcome = await run(server.command, [...words, "demo", folder.fsPath, "--write-only"], {
    cwd: storage.fsPath,
    timeout: 20_000,
    ...(server.options?.env === undefined ? {} : { env: server.options.env as NodeJS.ProcessEnv }),
  });
  if (outcome.code !== 0) {
    void window.showErrorMessage(l10n.t("The sample could not be written: {0}", outcome.stderr.trim()));
    return;
  }
  await commands.executeCommand("vscode.openFolder", folder, { forceNewWindow: true });
}
