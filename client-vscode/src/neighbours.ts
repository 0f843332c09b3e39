/**
 * What belongs to other extensions: the ending `.prompt` is also dotprompt's.
 *
 * Must not know: the editor's API, what is in a file.
 */

import { PROMPT_LANGUAGE } from "./documents";

/** An ending that this extension gives its language, unless another extension owns such files. */
export const SHARED_ENDING = ".prompt";

/** An extension as the editor describes it. */
export interface Neighbour {
  readonly packageJSON: unknown;
}

interface Manifest {
  readonly contributes?: { readonly languages?: readonly { readonly id?: unknown; readonly extensions?: unknown }[] };
}

/** The language that another extension gives files with the shared ending; undefined where none does. */
export function ownerOf(extensions: readonly Neighbour[]): string | undefined {
  for (const { packageJSON } of extensions) {
    const languages = (packageJSON as Manifest | undefined)?.contributes?.languages;
    for (const { id, extensions: endings } of Array.isArray(languages) ? languages : []) {
      if (typeof id === "string" && id !== PROMPT_LANGUAGE && Array.isArray(endings) && endings.includes(SHARED_ENDING)) {
        return id;
      }
    }
  }
  return undefined;
}

/** Whether the user has given such files this extension's language by hand (`files.associations`). */
export function isAssociated(associations: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(associations).some(([pattern, language]) => language === PROMPT_LANGUAGE && pattern.endsWith(SHARED_ENDING));
}
