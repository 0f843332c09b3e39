/**
 * When to restart a server that went away, and when to give up and ask.
 *
 * Must not know: the editor's API, the server's process.
 */

/** How many restarts within `WINDOW_MS` are tried without asking. */
export const RESTARTS = 5;

/** The time, in milliseconds, after which a crash is forgotten. */
export const WINDOW_MS = 3 * 60 * 1000;

/** Counts crashes: a few in a row are answered with a restart, more with a question. */
export class CrashCounter {
  private times: number[] = [];

  /** Record a crash at `now` (milliseconds); true where the server should be started again. */
  shouldRestart(now: number): boolean {
    this.times = this.times.filter((time) => now - time < WINDOW_MS);
    this.times.push(now);
    return this.times.length <= RESTARTS;
  }

  /** Forget all crashes: the user requested a restart. */
  reset(): void {
    this.times = [];
  }
}
