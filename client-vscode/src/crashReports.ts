/**
 * What is kept of a server that went away: a short text in the editor's folder of logs, for bug reports.
 *
 * Owns: the text of a report, where it is, and how many are kept. Must not know: the editor's API, restarts. A report
 * has the server's standard error and how it was started, and nothing of the documents.
 */

import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";

/** How many reports are kept; older ones are removed. */
export const KEPT_REPORTS = 5;

/** How many characters of standard error are kept; more of its beginning is left out. */
export const KEPT_ERRORS = 16 * 1024;

/** How a server ended, and what was known of it. */
export interface Crash {
  readonly time: Date;
  /** The exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Milliseconds from its start. */
  readonly lived: number;
  readonly command: readonly string[];
  /** Programs and their versions, in the order in which they are to be shown. */
  readonly versions: Readonly<Record<string, string>>;
  readonly errors: string;
}

/** The parts of a process that its end needs. */
export interface Ending {
  readonly stderr: Readable | null;
  once(event: "exit", listener: (code: number | null, signal: string | null) => void): unknown;
}

/** Follow a process; `ended` is called once, when it has ended, with the end of its standard error. */
export function follow(process: Ending, ended: (code: number | null, signal: string | null, errors: string) => void): void {
  let errors = "";
  process.stderr?.on("data", (data: unknown) => {
    errors = (errors + String(data)).slice(-KEPT_ERRORS);
  });
  process.once("exit", (code, signal) => {
    // What was written before the end may be read after it.
    setImmediate(() => {
      ended(code, signal, errors);
    });
  });
}

/** The report, in English: it is for the developers of the server. */
export function reportText(crash: Crash): string {
  const how = crash.signal === null ? `exit code ${crash.code ?? "unknown"}` : `signal ${crash.signal}`;
  return [
    "The Callwright server stopped unexpectedly.",
    "",
    `Time: ${crash.time.toISOString()}`,
    `End: ${how}, ${Math.round(crash.lived / 1000)} s after its start`,
    `Command: ${crash.command.map((word) => JSON.stringify(word)).join(" ")}`,
    ...Object.entries(crash.versions).map(([name, version]) => `${name}: ${version}`),
    "",
    "The end of standard error (review it before you send this to anyone):",
    "",
    crash.errors.trim() === "" ? "(none)" : crash.errors.trimEnd(),
    "",
  ].join("\n");
}

/** Write a report into a folder, which is created, and remove the oldest beyond `KEPT_REPORTS`; gives the file. */
export async function keepReport(folder: string, crash: Crash): Promise<string> {
  await mkdir(folder, { recursive: true });
  // The time sorts as text and is a name in every file system.
  const file = path.join(folder, `crash-${crash.time.toISOString().replace(/[:.]/g, "-")}.txt`);
  await writeFile(file, reportText(crash), "utf8");
  const all = (await readdir(folder)).filter((name) => /^crash-.*\.txt$/.test(name)).sort();
  await Promise.all(all.slice(0, -KEPT_REPORTS).map((name) => rm(path.join(folder, name), { force: true })));
  return file;
}

/** The newest report in a folder; undefined where there is none. */
export async function newestReport(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const newest = names.filter((name) => /^crash-.*\.txt$/.test(name)).sort().at(-1);
  return newest === undefined ? undefined : path.join(folder, newest);
}
