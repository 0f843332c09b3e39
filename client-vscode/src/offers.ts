/**
 * What the server offers at a place, and which of the offers are picked.
 *
 * Must not know: the editor's API, how an offer is carried out.
 */

/** An action as the server sends it; everything else in it belongs to the server. */
export interface Offered {
  readonly title: string;
  readonly kind?: string;
  readonly edit?: unknown;
  readonly data?: unknown;
}

/** The kinds of the server's own actions: `data.key.offer`. */
export type Offer = "fill" | "cdata" | "extract" | "ignore";

/** The actions of an answer that are such an offer; without one, those of the requested kind. */
export function offered(answer: unknown, offer: Offer | undefined): Offered[] {
  if (!Array.isArray(answer)) {
    return [];
  }
  return (answer as unknown[]).filter((each): each is Offered => {
    const { title, data } = (each ?? {}) as { title?: unknown; data?: { key?: { offer?: unknown } } };
    return typeof title === "string" && (offer === undefined || data?.key?.offer === offer);
  });
}

/** A dialect as the server describes it. */
export interface DialectChoice {
  readonly name: string;
  readonly summary: string;
}

/** The dialects of an answer, the wanted one first. */
export function dialectChoices(answer: unknown, wanted: string | null): DialectChoice[] {
  if (!Array.isArray(answer)) {
    return [];
  }
  const choices = (answer as unknown[]).filter((each): each is DialectChoice => {
    const { name, summary } = (each ?? {}) as Partial<Record<keyof DialectChoice, unknown>>;
    return typeof name === "string" && typeof summary === "string";
  });
  return [...choices.filter(({ name }) => name === wanted), ...choices.filter(({ name }) => name !== wanted)];
}
