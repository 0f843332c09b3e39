/**
 * Short-lived processes: run a program to its end, with a time limit, and return its output.
 *
 * Must not know: the editor's API, what is run.
 */

import { spawn } from "node:child_process";

/** How a process ended. */
export interface Outcome {
  /** The exit code; null where it was killed or never started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and for how long a process runs. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which it is killed. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Given each line of output as it comes. */
  readonly onLine?: (line: string) => void;
}

const KEPT = 64 * 1024;

/** Run a program to its end; never rejects: a program that cannot be started has no exit code, and the reason in `stderr`. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    let pending = "";
    const child = spawn(command, args, {
      cwd: options.cwd,
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeout,
      windowsHide: true,
    });
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    const feed = (text: string): void => {
      if (options.onLine === undefined) {
        return;
      }
      const lines = (pending + text).split(/\r?\n/);
      pending = lines.pop() ?? "";
      lines.forEach(options.onLine);
    };
    child.stdout.on("data", (text: string) => {
      stdout = (stdout + text).slice(-KEPT);
      feed(text);
    });
    child.stderr.on("data", (text: string) => {
      stderr = (stderr + text).slice(-KEPT);
      feed(text);
    });
    child.on("error", (error) => {
      resolve({ code: null, stdout, stderr: `${stderr}${error.message}` });
    });
    child.on("close", (code) => {
      if (pending !== "") {
        options.onLine?.(pending);
      }
      resolve({ code, stdout, stderr });
    });
  });
}
