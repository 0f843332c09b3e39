/**
 * Messages between the editor's views and the server: requests, waiting for a pause in typing, checks of a page's
 * messages.
 *
 * Must not know: the editor's API, what is asked.
 */

/** Asks the server about a document; undefined where it does not run, or has no answer. */
export type Asking = <Answer>(method: string, document?: { toString(): string }) => Promise<Answer | undefined>;

/** Four whole numbers from a page, line and character of a start and of an end; undefined for anything else. */
export function rangeOf(value: unknown): [number, number, number, number] | undefined {
  if (!Array.isArray(value) || value.length !== 4) {
    return undefined;
  }
  const numbers = value as unknown[];
  return numbers.every((each) => Number.isSafeInteger(each) && (each as number) >= 0)
    ? (numbers as [number, number, number, number])
    : undefined;
}

/** One piece of work that waits until nothing newer has come for a while. */
export class Pending {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly delay: number) {}

  /** Do this after the delay, in place of the work that waits. */
  later(work: () => void): void {
    this.cancel();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      work();
    }, this.delay);
  }

  /** Drop the work that waits. */
  cancel(): void {
    if (this.timer !== undefined) {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
  }
}
