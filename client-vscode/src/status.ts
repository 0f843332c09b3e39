/**
 * The text of the status item for the active document.
 *
 * Must not know: the editor's API, the server's process.
 */

import * as l10n from "@vscode/l10n";

/** What the server reports about one document (`callwright/status`). */
export interface DocumentStatus {
  readonly uri: string;
  /** How many tools are in force. */
  readonly tools: number;
  /** Their sources, the author's own first. */
  readonly toolSets: readonly string[];
  /** Whether they are those that the document declares itself. */
  readonly own?: boolean;
  /** The dialect that is configured; null for any. */
  readonly dialect: string | null;
  /** How the file is read, as it is shown to the user: "Markdown in Jinja", "JSON Lines transcript, OpenAI chat messages". */
  readonly host: string;
  /** The configuration file in force; null for none. */
  readonly configuration: string | null;
  /** How many diagnostics the document has. */
  readonly problems: number;
}

/** The state of the server as it is shown. */
export type ServerState = "starting" | "running" | "stopped" | "failed";

/** What the status item shows. */
export interface StatusText {
  readonly text: string;
  readonly accessible: string;
  readonly details: readonly string[];
  readonly severity: "normal" | "error";
}

/** How many tools, in words; `own` are those that the file declares itself. */
function toolCount(n: number, own = false): string {
  if (own) {
    return n === 1 ? l10n.t("1 tool from this file") : l10n.t("{0} tools from this file", n);
  }
  return n === 0 ? l10n.t("no tools") : n === 1 ? l10n.t("1 tool") : l10n.t("{0} tools", n);
}

/** A status report in which every field has its type, or undefined where the message is not one. */
export function readStatus(message: unknown): DocumentStatus | undefined {
  if (typeof message !== "object" || message === null) {
    return undefined;
  }
  const given = message as Partial<Record<keyof DocumentStatus, unknown>>;
  if (typeof given.uri !== "string") {
    return undefined;
  }
  const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
  return {
    uri: given.uri,
    tools: number(given.tools),
    toolSets: Array.isArray(given.toolSets) ? given.toolSets.filter((name): name is string => typeof name === "string") : [],
    ...(given.own === true && { own: true }),
    dialect: typeof given.dialect === "string" ? given.dialect : null,
    host: typeof given.host === "string" ? given.host : "text",
    configuration: typeof given.configuration === "string" ? given.configuration : null,
    problems: number(given.problems),
  };
}

/** Text and details of the status item; `server` describes the server's executable, where that is known. */
export function statusText(state: ServerState, status: DocumentStatus | undefined, server?: string): StatusText {
  const origin = server === undefined ? [] : [l10n.t("Server: {0}", server)];
  switch (state) {
    case "starting":
      return { text: "$(loading~spin) Callwright", accessible: l10n.t("Callwright is starting"), details: [l10n.t("Starting the server…")], severity: "normal" };
    case "stopped":
      return { text: "$(circle-slash) Callwright", accessible: l10n.t("Callwright is stopped"), details: [l10n.t("The server is stopped.")], severity: "normal" };
    case "failed":
      return {
        text: "$(error) Callwright",
        accessible: l10n.t("Callwright is not running"),
        details: [l10n.t("The server is not running. The output channel says why."), ...origin],
        severity: "error",
      };
    case "running":
      break;
  }
  if (status === undefined) {
    return { text: "Callwright", accessible: l10n.t("Callwright is running"), details: origin, severity: "normal" };
  }
  const dialect = status.dialect ?? l10n.t("any dialect");
  const tools = toolCount(status.tools, status.own);
  return {
    text: `$(tools) ${dialect} · ${tools}`,
    accessible: l10n.t("Callwright: {0}, {1}", dialect, tools),
    details: [
      l10n.t("Dialect: {0}", dialect),
      status.own === true ? l10n.t("Tools: {0} from this file", status.tools) : status.toolSets.length === 0 ? l10n.t("Tools: none") : l10n.t("Tools: {0} from {1}", status.tools, status.toolSets.join(", ")),
      l10n.t("Read as: {0}", status.host),
      status.configuration === null ? l10n.t("Configuration: none") : l10n.t("Configuration: {0}", status.configuration),
      l10n.t("Diagnostics: {0}", status.problems),
      ...origin,
    ],
    severity: "normal",
  };
}
