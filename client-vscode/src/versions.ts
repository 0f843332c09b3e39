/**
 * Versions of Python and of the server, and which of them go together.
 *
 * Must not know: the editor, processes, files.
 */

/** The release part of a version, and whether it is a release at all. */
export interface Version {
  readonly release: readonly number[];
  /** True for `1.0rc1`, `1.0.dev3` and their like: they come before the release of the same numbers. */
  readonly preRelease: boolean;
}

const VERSION = /^v?(\d+(?:\.\d+)*)(.*)$/i;
const PRE_RELEASE = /^[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|dev)[-_.]?\d*/i;

/** Read a Python-style version; undefined where the text is not one. */
export function parseVersion(text: string): Version | undefined {
  const match = VERSION.exec(text.trim());
  const numbers = match?.[1];
  if (match === null || numbers === undefined) {
    return undefined;
  }
  return {
    release: numbers.split(".").map(Number),
    preRelease: PRE_RELEASE.test(match[2] ?? ""),
  };
}

/** Negative where `a` comes before `b`, zero where they are the same release, else positive. */
export function compareVersions(a: Version, b: Version): number {
  const length = Math.max(a.release.length, b.release.length);
  for (let i = 0; i < length; i++) {
    const difference = (a.release[i] ?? 0) - (b.release[i] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return Number(b.preRelease) - Number(a.preRelease);
}

/** The oldest Python that can run the server. */
export const OLDEST_PYTHON: Version = { release: [3, 11], preRelease: false };

/** Whether a Python of this version can run the server. */
export function isPythonNewEnough(version: string): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && compareVersions(parsed, OLDEST_PYTHON) >= 0;
}

/**
 * Whether an installed server serves an extension that carries the server `carried`.
 *
 * It does when it is not older and promises compatibility: the same major version, and before 1.0 the same minor one.
 */
export function isServerCompatible(found: string, carried: string): boolean {
  const server = parseVersion(found);
  const own = parseVersion(carried);
  if (server === undefined || own === undefined) {
    return false;
  }
  const sameMajor = server.release[0] === own.release[0];
  const sameMinor = server.release[0] !== 0 || (server.release[1] ?? 0) === (own.release[1] ?? 0);
  return sameMajor && sameMinor && compareVersions(server, own) >= 0;
}
