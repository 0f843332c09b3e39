/**
 * The private environment: a Python environment of the extension's own, made from the wheel that it carries.
 *
 * It is keyed by the wheel and its locked dependencies, so a new version makes a new one and the old one keeps serving
 * in another window. The installer is part of the extension, too: a Python without pip and `ensurepip` is enough. The
 * package for one platform also carries the dependencies, and then nothing is fetched. Must not know: the editor's API.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import * as path from "node:path";

import * as l10n from "@vscode/l10n";

import { PROBE_ARGUMENTS, readProbe } from "./interpreter";
import { run } from "./processes";

/** What a private environment is made from. */
export interface EnvironmentRequest {
  /** Folder that belongs to the extension; created where absent. */
  readonly storage: string;
  /** The interpreter to make it with. */
  readonly python: string;
  /** Folder with exactly one wheel, `requirements.txt`, the wheel of pip in `pip`, and perhaps dependencies in `wheels`. */
  readonly bundle: string;
  /** Called with the current step, in few words. */
  readonly report: (step: string) => void;
  /** Called with each line that the tools print. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Why a private environment could not be made, and what to do about it. */
export class SetupError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

const STAMP = "callwright-ready.json";
/** A lock that was not touched for so long has no owner any more; an owner touches it every `HEARTBEAT_MS`. */
const STALE_LOCK_MS = 60 * 1000;
const HEARTBEAT_MS = 10 * 1000;
const MAX_WAIT_MS = 10 * 60 * 1000;
const STEP_TIMEOUT_MS = 5 * 60 * 1000;
const UNUSED_MS = 14 * 24 * 60 * 60 * 1000;

/** The interpreter inside an environment. */
export function pythonOf(environment: string): string {
  return process.platform === "win32" ? path.join(environment, "Scripts", "python.exe") : path.join(environment, "bin", "python");
}

/** The environment's variables without those that would send packages or imports elsewhere. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const diverting = /^(?:PYTHONHOME|PYTHONPATH|PYTHONSTARTUP|PIP_TARGET|PIP_PREFIX|PIP_ROOT|PIP_USER|VIRTUAL_ENV|__PYVENV_LAUNCHER__)$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !diverting.test(name)));
}

/** Name of the environment for these files: stable, and another one as soon as any of them changes. */
export function environmentName(version: string, contents: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const content of contents) {
    hash.update(String(content.byteLength)).update("\0").update(content);
  }
  return `server-${version}-${hash.digest("hex").slice(0, 12)}`;
}

/** Names of the wheels in a folder; none where there is no such folder. */
async function wheelsIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith(".whl")) : [];
}

/** File and version of the one wheel in a folder. */
async function findWheel(folder: string, missing: (found: number) => string): Promise<{ file: string; version: string }> {
  const names = await wheelsIn(folder);
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new SetupError(missing(names.length), l10n.t("Reinstall the extension."));
  }
  return { file: path.join(folder, name), version: name.split("-")[1] ?? "0" };
}

/** Versions of Python, as `3.12`, for which the extension carries the server's dependencies; none where it carries none. */
export async function carriedPythons(bundle: string): Promise<string[]> {
  const names = await wheelsIn(path.join(bundle, "wheels"));
  const versions = names.map((name) => /-cp3(\d+)-cp3\1-/.exec(name)?.[1]);
  return [...new Set(versions.filter((minor) => minor !== undefined).map((minor) => `3.${minor}`))];
}

/** Make the private environment, or find it ready; gives the path of its interpreter. */
export async function privateEnvironment(request: EnvironmentRequest): Promise<string> {
  const wheel = await findWheel(request.bundle, (found) =>
    l10n.t("The extension should contain one server package, but {0} were found in {1}.", found, request.bundle),
  );
  const pips = path.join(request.bundle, "pip");
  const pip = await findWheel(pips, (found) => l10n.t("The extension should contain one installer, but {0} were found in {1}.", found, pips));
  const requirements = path.join(request.bundle, "requirements.txt");
  const name = environmentName(wheel.version, [await readFile(wheel.file), await readFile(requirements)]);
  await mkdir(request.storage, { recursive: true });
  const environment = path.join(request.storage, name);
  if (!(await isReady(environment))) {
    await withLock(`${environment}.lock`, request, async () => {
      if (!(await isReady(environment))) {
        await make(environment, { wheel: wheel.file, pip: pip.file, requirements }, request);
      }
    });
  }
  await removeUnused(request.storage, name);
  return pythonOf(environment);
}

/** Whether an environment was finished and its interpreter still runs (its base may have been removed since). */
async function isReady(environment: string): Promise<boolean> {
  const stamp = path.join(environment, STAMP);
  if (!existsSync(stamp)) {
    return false;
  }
  const outcome = await run(pythonOf(environment), PROBE_ARGUMENTS, { cwd: environment, timeout: 30_000 });
  const ready = typeof readProbe(outcome.stdout)?.server === "string";
  if (ready) {
    const now = new Date();
    await utimes(stamp, now, now);
  }
  return ready;
}

/** Files that an environment is made from. */
interface Carried {
  readonly wheel: string;
  readonly pip: string;
  readonly requirements: string;
}

async function make(environment: string, carried: Carried, request: EnvironmentRequest): Promise<void> {
  const env = cleanEnvironment(process.env);
  const attempt = async (command: string, args: string[]): Promise<{ readonly succeeded: boolean; readonly printed: string }> => {
    request.log(`${command} ${args.join(" ")}`);
    const outcome = await run(command, args, {
      cwd: request.storage,
      env,
      timeout: STEP_TIMEOUT_MS,
      signal: request.signal,
      onLine: request.log,
    });
    if (request.signal.aborted) {
      throw new SetupError(l10n.t("Setting up the server was cancelled."), l10n.t("Run “Callwright: Restart Server” to try again."));
    }
    return { succeeded: outcome.code === 0, printed: outcome.stdout + outcome.stderr };
  };
  const step = async (failed: string, command: string, args: string[], remedy: (printed: string) => string): Promise<void> => {
    const { succeeded, printed } = await attempt(command, args);
    if (!succeeded) {
      throw new SetupError(failed, remedy(printed));
    }
  };

  await rm(environment, { recursive: true, force: true });
  try {
    request.report(l10n.t("creating a Python environment"));
    await step(l10n.t("Creating a Python environment failed."), request.python, ["-m", "venv", "--without-pip", environment], venvRemedy);
    request.report(l10n.t("installing the server"));
    const python = pythonOf(environment);
    // A wheel of pip runs as it is. What is imported is compiled when it is first used: most of it never is.
    const pip = ["-I", `${carried.pip}/pip`];
    const install = ["install", "--disable-pip-version-check", "--no-input", "--no-compile", "--progress-bar=off"];
    const dependencies = ["--require-hashes", "-r", carried.requirements];
    const wheels = path.join(request.bundle, "wheels");
    let complete = false;
    if ((await wheelsIn(wheels)).length > 0) {
      // Isolated, so that no setting of the user's sends pip elsewhere.
      complete = (await attempt(python, [...pip, "--isolated", ...install, "--no-index", "--find-links", wheels, ...dependencies])).succeeded;
      if (!complete) {
        request.report(l10n.t("downloading packages, because the bundled ones do not support this Python"));
      }
    }
    if (!complete) {
      await step(l10n.t("Installing the server's dependencies failed."), python, [...pip, ...install, ...dependencies], pipRemedy);
    }
    await step(l10n.t("Installing the server failed."), python, [...pip, "--isolated", ...install, "--no-deps", "--no-index", carried.wheel], pipRemedy);
    await writeFile(path.join(environment, STAMP), `${JSON.stringify({ python: request.python, wheel: path.basename(carried.wheel) })}\n`);
  } catch (error) {
    await rm(environment, { recursive: true, force: true });
    throw error;
  }
}

/** The remedy where `python -m venv` failed with this output. */
export function venvRemedy(printed: string): string {
  if (/No module named '?venv|ensurepip|python3[.\d]*-venv/.test(printed)) {
    return l10n.t("This Python lacks the `venv` package (on Debian and Ubuntu: `sudo apt install python3-venv`). Install it, or set `callwright.interpreter` to another Python.");
  }
  return l10n.t("The output channel says why. Setting `callwright.interpreter` to another Python may help.");
}

/** The remedy where pip failed with this output. */
export function pipRemedy(printed: string): string {
  if (/No space left/i.test(printed)) {
    return l10n.t("The disk is full.");
  }
  if (/NewConnectionError|Temporary failure in name resolution|getaddrinfo failed|ProxyError|ConnectTimeout|SSLError|Failed to establish/i.test(printed)) {
    return l10n.t("The package index cannot be reached. Check the network or pip's configuration (proxy, index), then run “Callwright: Restart Server”; or install `callwright` yourself and set `callwright.interpreter`.");
  }
  return l10n.t("The output channel says why. Installing `callwright` yourself and setting `callwright.interpreter` avoids this step.");
}

/** Run `body` while no other window does the same; a lock whose owner is gone is taken over. */
async function withLock(lock: string, request: EnvironmentRequest, body: () => Promise<void>): Promise<void> {
  const started = Date.now();
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw error;
      }
    }
    request.report(l10n.t("waiting for another window that is setting up the server"));
    const age = await stat(lock).then(
      (status) => Date.now() - status.mtimeMs,
      () => 0,
    );
    if (age > STALE_LOCK_MS) {
      await rm(lock, { recursive: true, force: true });
    } else if (request.signal.aborted || Date.now() - started > MAX_WAIT_MS) {
      throw new SetupError(l10n.t("Setting up the server was stopped because another window is doing the same."), l10n.t("Run “Callwright: Restart Server” to try again."));
    } else {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    void utimes(lock, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  try {
    await body();
  } finally {
    clearInterval(heartbeat);
    await rm(lock, { recursive: true, force: true });
  }
}

/** Remove environments of other versions that were not started for two weeks; best effort. */
async function removeUnused(storage: string, current: string): Promise<void> {
  for (const name of await readdir(storage)) {
    if (!name.startsWith("server-") || name === current || name.endsWith(".lock")) {
      continue;
    }
    const environment = path.join(storage, name);
    const used = await stat(path.join(environment, STAMP)).then(
      (status) => status.mtimeMs,
      () => 0,
    );
    if (used !== 0 && Date.now() - used > UNUSED_MS) {
      await rm(environment, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
