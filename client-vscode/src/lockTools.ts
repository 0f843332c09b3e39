/**
 * "Lock tools of MCP servers": what is run in the terminal for it, or the reason for a refusal.
 *
 * The command itself shows what it would start and asks, server by server; this file only decides which `callwright` does
 * so, and where. Must not know: the editor's API.
 */

import * as l10n from "@vscode/l10n";

/** What is known when the command is run. */
export interface LockRequest {
  readonly trusted: boolean;
  /** Path of the folder whose servers are meant; undefined where none is open. */
  readonly folder: string | undefined;
  /** How the server was started; undefined where it is not. */
  readonly server: { readonly command: string; readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv } | undefined;
}

/** A process for the terminal, or the message of a refusal. */
export type LockPlan =
  | { readonly kind: "run"; readonly command: string; readonly args: readonly string[]; readonly cwd: string; readonly env: Record<string, string> }
  | { readonly kind: "refused"; readonly message: string };

const SERVE = "server";
/** The arguments of the server's program without the last one, which makes it a server; undefined without that one. */
export function ownWords(server: LockRequest["server"]): readonly string[] | undefined {
  const args = server?.args ?? [];
  return server === undefined || args.at(-1) !== SERVE ? undefined : args.slice(0, -1);
}

const LOCK: readonly string[] = ["tools", "lock", "--all"];

/** Decide what is run: the server's own program, with other arguments. */
export function lockPlan(request: LockRequest): LockPlan {
  if (!request.trusted) {
    return refused(l10n.t("This folder is not trusted, so the servers that it names are not started. Trust the folder first."));
  }
  if (request.folder === undefined) {
    return refused(l10n.t("No folder is open. Open the folder whose `.mcp.json` or `.vscode/mcp.json` names the servers."));
  }
  const args = ownWords(request.server);
  if (request.server === undefined || args === undefined) {
    return refused(l10n.t("The Callwright server is not running, so it is not known which `callwright` to use. Restart the server first."));
  }
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.server.env ?? {})) {
    if (value !== undefined) {
      env[name] = value;
    }
  }
  return { kind: "run", command: request.server.command, args: [...args, ...LOCK], cwd: request.folder, env };
}

function refused(message: string): LockPlan {
  return { kind: "refused", message: `Callwright: ${message}` };
}
