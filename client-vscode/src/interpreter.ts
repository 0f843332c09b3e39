/**
 * Which executable serves: the setting, then the selected Python environment, then a private environment.
 *
 * Nothing from an untrusted folder is run. Must not know: the editor's API; a function that is passed in starts processes.
 */

import * as path from "node:path";

import * as l10n from "@vscode/l10n";

import { isPythonNewEnough, isServerCompatible } from "./versions";

/** What an interpreter reports about itself. */
export interface Probe {
  /** Absolute path of the interpreter, as it reports it. */
  readonly executable: string;
  readonly version: string;
  /** Version of the `callwright` package that it can import; null for none. */
  readonly server: string | null;
}

/**
 * The program an interpreter is asked to run; it prints one line of JSON.
 *
 * It parses with any Python that may be found, so that an old one can report its version.
 */
export const PROBE_PROGRAM = `
import json, platform, sys
server = None
try:
    from importlib.metadata import version
    from importlib.util import find_spec
    if find_spec("callwright") is not None:
        server = version("callwright")
except Exception:
    pass
print(json.dumps({"executable": sys.executable, "version": platform.python_version(), "server": server}))
`.trim();

/** Arguments that make an interpreter run the probe without looking into the current folder. */
export const PROBE_ARGUMENTS: readonly string[] = ["-I", "-c", PROBE_PROGRAM];

/**
 * Arguments that make an interpreter serve.
 *
 * `-P` keeps the current folder out of the import path: a folder with a `json.py` must not become code that runs.
 */
export const SERVER_ARGUMENTS: readonly string[] = ["-P", "-m", "callwright", "server"];

/** Read the probe's line; undefined where it is not one. */
export function readProbe(output: string): Probe | undefined {
  const line = output.trim().split(/\r?\n/).at(-1) ?? "";
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const { executable, version, server } = value as Partial<Record<keyof Probe, unknown>>;
  if (typeof executable !== "string" || executable === "" || typeof version !== "string") {
    return undefined;
  }
  return { executable, version, server: typeof server === "string" ? server : null };
}

/** What the choice depends on. */
export interface Choice {
  /** The setting `callwright.path`. */
  readonly path: string;
  /** The setting `callwright.interpreter`. */
  readonly interpreter: string;
  /** The setting `callwright.importStrategy`. */
  readonly importStrategy: string;
  /** Whether the folder is trusted. */
  readonly trusted: boolean;
  /** Version of the server that the extension carries. */
  readonly carried: string;
  /** The interpreter that is selected for the folder, where there is one. */
  readonly selected: () => Promise<string | undefined>;
  /** Versions of Python (`3.12`) that need no network for the private environment; empty where all need it. */
  readonly offline: readonly string[];
  /** Interpreters to try for the private environment, best first. */
  readonly candidates: readonly string[];
  /** Ask an interpreter about itself; undefined where it cannot be run. */
  readonly probe: (python: string) => Promise<Probe | undefined>;
}

/** What was chosen, or why nothing could be. `notes` name the other choices that were skipped, and why. */
export type Plan = { readonly notes: readonly string[] } & (
  | { readonly kind: "executable"; readonly path: string }
  | { readonly kind: "python"; readonly python: string; readonly version: string; readonly from: "setting" | "selected environment" }
  | { readonly kind: "private"; readonly python: string }
  | { readonly kind: "none"; readonly reason: string; readonly remedy: string }
);

/** Choose the executable that serves. */
export async function choose(choice: Choice): Promise<Plan> {
  const notes: string[] = [];
  if (choice.path !== "") {
    return { kind: "executable", path: choice.path, notes };
  }
  const bundled = choice.importStrategy === "useBundled";
  if (choice.interpreter !== "") {
    const probe = await choice.probe(choice.interpreter);
    if (probe === undefined) {
      return {
        kind: "none",
        reason: l10n.t("The interpreter in `callwright.interpreter` cannot be run: {0}", choice.interpreter),
        remedy: l10n.t("Set it to the path of a Python 3.11 or newer, or clear it."),
        notes,
      };
    }
    if (!isPythonNewEnough(probe.version)) {
      return {
        kind: "none",
        reason: l10n.t("The interpreter in `callwright.interpreter` is Python {0}; Callwright needs 3.11 or newer.", probe.version),
        remedy: l10n.t("Set it to the path of a newer Python, or clear it."),
        notes,
      };
    }
    const usable = !bundled && serves(probe, choice.carried, "the interpreter of the setting", notes);
    return usable
      ? { kind: "python", python: choice.interpreter, version: probe.server ?? "", from: "setting", notes }
      : { kind: "private", python: choice.interpreter, notes };
  }

  let selected: string | undefined;
  if (!choice.trusted) {
    notes.push("The folder is not trusted: its Python environment is not used.");
  } else if (!bundled) {
    selected = await choice.selected();
    const probe = selected === undefined ? undefined : await choice.probe(selected);
    if (selected !== undefined && probe === undefined) {
      notes.push(`The selected Python environment cannot be run: ${selected}`);
    }
    if (selected !== undefined && probe !== undefined && serves(probe, choice.carried, "the selected Python environment", notes)) {
      return { kind: "python", python: selected, version: probe.server ?? "", from: "selected environment", notes };
    }
  }

  const tried = [...choice.candidates, ...(selected === undefined ? [] : [selected])];
  const old = new Set<string>();
  let other: Probe | undefined;
  for (const python of tried) {
    const probe = await choice.probe(python);
    if (probe === undefined) {
      continue;
    }
    if (!isPythonNewEnough(probe.version)) {
      old.add(probe.version);
    } else if (choice.offline.length === 0 || choice.offline.some((version) => probe.version.startsWith(`${version}.`))) {
      return { kind: "private", python: probe.executable, notes };
    } else {
      other ??= probe;
    }
  }
  if (other !== undefined) {
    notes.push(`The packages that the extension carries are for Python ${choice.offline.join(", ")}; for ${other.version} they are fetched.`);
    return { kind: "private", python: other.executable, notes };
  }
  return {
    kind: "none",
    reason:
      old.size === 0
        ? l10n.t("No Python was found; Callwright needs Python 3.11 or newer.")
        : l10n.t("Only Python {0} was found; Callwright needs Python 3.11 or newer.", [...old].join(", ")),
    remedy: l10n.t("Install one and put it on the PATH, or set `callwright.interpreter` to its path."),
    notes,
  };
}

function serves(probe: Probe, carried: string, what: string, notes: string[]): boolean {
  if (!isPythonNewEnough(probe.version)) {
    notes.push(`Passed over ${what}: it is Python ${probe.version}, Callwright needs 3.11 or newer.`);
    return false;
  }
  if (probe.server === null) {
    notes.push(`Passed over ${what}: callwright is not installed in it.`);
    return false;
  }
  if (!isServerCompatible(probe.server, carried)) {
    notes.push(`Passed over ${what}: its callwright ${probe.server} does not go with version ${carried} of the extension.`);
    return false;
  }
  return true;
}

/**
 * Interpreters on a PATH, best first.
 *
 * Only absolute folders count: a relative one would depend on which folder is open.
 */
export function interpretersOnPath(searchPath: string, platform: NodeJS.Platform, exists: (file: string) => boolean): string[] {
  const windows = platform === "win32";
  const paths = windows ? path.win32 : path.posix;
  const names = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"];
  const folders = searchPath.split(windows ? ";" : ":").filter((folder) => paths.isAbsolute(folder));
  const found = new Set<string>();
  for (const name of names) {
    for (const folder of folders) {
      const file = paths.join(folder, windows ? `${name}.exe` : name);
      if (exists(file)) {
        found.add(file);
      }
    }
  }
  return [...found];
}
