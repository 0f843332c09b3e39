/**
 * The extension's life: starts, stops and monitors the language client, and answers the commands.
 *
 * Whatever can be decided without the editor is decided and tested elsewhere; this file connects it to the editor.
 */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import * as path from "node:path";
import { arch, platform } from "node:process";
import { createInterface } from "node:readline";
import { config as configureWords } from "@vscode/l10n";
import {
  CancellationTokenSource,
  type ExtensionContext,
  type LogOutputChannel,
  ProcessExecution,
  ProgressLocation,
  RelativePattern,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  type TextDocument,
  Uri,
  commands,
  env,
  extensions,
  l10n,
  languages,
  tasks,
  version as editorVersion,
  window,
  workspace,
} from "vscode";
import {
  CloseAction,
  type CloseHandlerResult,
  type ConfigurationParams,
  ErrorAction,
  type ErrorHandlerResult,
  type Executable,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";

import { CallCommands } from "./callCommands";
import { follow, keepReport, newestReport } from "./crashReports";
import { CrashCounter } from "./crashes";
import {
  CONFIGURATION_FILES,
  MARKDOWN_EXTENSION,
  MARKDOWN_LANGUAGES,
  PROMPT_LANGUAGE,
  documentSelector,
  isConfiguration,
  isWorthAServer,
  sameFolders,
} from "./documents";
import { SetupError, carriedPythons, cleanEnvironment, privateEnvironment } from "./environment";
import { folderCommands } from "./folderCommands";
import { PROBE_ARGUMENTS, SERVER_ARGUMENTS, choose, interpretersOnPath, readProbe } from "./interpreter";
import { lockPlan } from "./lockTools";
import { SHARED_ENDING, isAssociated, ownerOf } from "./neighbours";
import { Preview } from "./preview";
import { openSample } from "./sample";
import { run } from "./processes";
import { SECTION, serverSettings } from "./settings";
import { StatusItem } from "./statusItem";
import { ToolsView } from "./toolsView";

/** The server's command that gives the message for the model; here it goes to the clipboard. */
const FEEDBACK = "callwright.feedback";
const EXCLUDED = "**/{node_modules,.venv,venv,.git,site-packages}/**";

/** What other extensions, and tests, can ask this one. */
export interface CallwrightApi {
  /** Text of the status item for the active document. */
  readonly statusText: () => string;
  /** Lines that explain it, as its tooltip shows them. */
  readonly statusDetails: () => readonly string[];
  /** Process id of the running server; undefined where none runs. */
  readonly serverProcess: () => number | undefined;
  /** The page that the preview shows, with its document; undefined where there is none. */
  readonly previewPage: () => { readonly uri: string; readonly html: string } | undefined;
  /** The tools view as text, a line for each source, tool and parameter. */
  readonly toolsOutline: () => Promise<readonly string[]>;
  /** The file with the newest report of a server that went away; undefined where there is none. */
  readonly crashReport: () => Promise<string | undefined>;
}

/** Why a setup ends that a restart or the end of the session made pointless. */
const SUPERSEDED = new Error("The setup of the server was superseded.");

let session: Session | undefined;

/** Called by the editor when the extension is first needed. */
export function activate(context: ExtensionContext): CallwrightApi {
  // Modules that do not know the editor take their texts from the same bundle.
  if (l10n.bundle !== undefined) {
    configureWords({ contents: l10n.bundle });
  }
  const output = window.createOutputChannel("Callwright", { log: true });
  const status = new StatusItem();
  const started = new Session(context, output, status);
  session = started;
  const preview = new Preview(context, (method, document) => started.ask(method, document));
  const tools = new ToolsView(context, (method, document) => started.ask(method, document));
  started.onReload = () => {
    preview.refresh();
    tools.refresh();
  };
  context.subscriptions.push(
    output,
    status,
    commands.registerCommand("callwright.restart", () => started.restart(true)),
    commands.registerCommand("callwright.showOutput", () => {
      output.show();
    }),
    commands.registerCommand("callwright.showCrashReport", () => started.showReport()),
    commands.registerCommand("callwright.showStatus", () => status.show()),
    commands.registerCommand("callwright.lockTools", async () => {
      await started.wake();
      await lockTools(started.serving);
    }),
    commands.registerCommand("callwright.showPreview", async (uri?: unknown) => {
      await started.wake();
      await preview.open(uri instanceof Uri ? uri : undefined);
    }),
    commands.registerCommand("callwright.exportSession", () => preview.exportSession()),
    commands.registerCommand("callwright.openSample", async () => {
      await started.wake();
      await openSample(started.serving, context.globalStorageUri);
    }),
    commands.registerCommand("callwright.refreshTools", () => {
      tools.refresh();
    }),
    ...new CallCommands(
      () => started.running,
      () => status.dialect,
    ).register(),
    ...folderCommands(() => started.serving),
  );
  yieldSharedEnding(context);
  started.open();
  return {
    statusText: () => status.text,
    statusDetails: () => status.details,
    serverProcess: () => started.serverProcess,
    previewPage: () => preview.page,
    toolsOutline: () => tools.outline(),
    crashReport: () => started.newestReport(),
  };
}

/** Give files with an ending of another extension its language; a file that is set to ours again keeps ours. */
function yieldSharedEnding(context: ExtensionContext): void {
  const given = new Set<string>();
  const look = (document: TextDocument): void => {
    const key = document.uri.toString();
    if (document.languageId !== PROMPT_LANGUAGE || !document.uri.path.endsWith(SHARED_ENDING) || given.has(key)) {
      return;
    }
    const owner = ownerOf(extensions.all);
    if (owner !== undefined && !isAssociated(workspace.getConfiguration("files", document.uri).get("associations", {}))) {
      given.add(key);
      void languages.setTextDocumentLanguage(document, owner);
    }
  };
  context.subscriptions.push(workspace.onDidOpenTextDocument(look));
  workspace.textDocuments.forEach(look);
}

/** Called by the editor when it closes or disables the extension. */
export async function deactivate(): Promise<void> {
  await session?.close();
  session = undefined;
}

/** One server and its client; starts, stops and restarts happen one after another. */
class Session {
  private client: LanguageClient | undefined;
  private folders: readonly string[] = [];
  private readonly crashes = new CrashCounter();
  private queue: Promise<void> = Promise.resolve();
  private setup: AbortController | undefined;
  private closed = false;
  /** Clients whose servers were asked to stop. */
  private readonly stopped = new WeakSet<LanguageClient>();
  /** How the last server was started. */
  private started: Executable | undefined;
  /** Aborted where the start that is under way is pointless; undefined where none is. */
  private starting: AbortController | undefined;

  constructor(
    private readonly context: ExtensionContext,
    private readonly output: LogOutputChannel,
    private readonly status: StatusItem,
  ) {}

  /** How the server that runs was started; undefined where none does. */
  get serving(): Executable | undefined {
    return this.client === undefined ? undefined : this.started;
  }

  /** The client of the server that runs. */
  get running(): LanguageClient | undefined {
    return this.client;
  }

  /** Called when the server has started, or has read its configuration and tools again. */
  onReload: () => void = () => undefined;

  /** Ask the server; undefined where none runs, or it has no answer. */
  async ask<Answer>(method: string, document?: { toString(): string }): Promise<Answer | undefined> {
    const client = this.client;
    if (client?.isRunning() !== true) {
      return undefined;
    }
    const params = document === undefined ? {} : { textDocument: { uri: document.toString() } };
    try {
      return (await client.sendRequest<Answer | null>(method, params)) ?? undefined;
    } catch (error) {
      this.output.warn(`${method}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Process id of the running server. */
  get serverProcess(): number | undefined {
    return this.client?.serverProcess?.pid;
  }

  /** Whether a server was requested: by a document, a configuration or a command. */
  private requested = false;

  /** Start the server if nothing has requested it before; resolves once it runs, or has failed to. */
  wake(): Promise<void> {
    if (this.requested) {
      return this.queue;
    }
    this.requested = true;
    return this.enqueue(() => this.start());
  }

  /** Start the server where there is a document for it, and watch everything that requires a start or restart. */
  open(): void {
    for (const name of CONFIGURATION_FILES) {
      const watcher = workspace.createFileSystemWatcher(`**/${name}`);
      const follow = (): void => {
        void this.followConfiguration();
      };
      watcher.onDidCreate(follow);
      watcher.onDidChange(follow);
      watcher.onDidDelete(follow);
      this.context.subscriptions.push(watcher);
    }
    this.context.subscriptions.push(
      workspace.onDidChangeWorkspaceFolders(() => void this.followConfiguration()),
      workspace.onDidGrantWorkspaceTrust(() => void this.restart(false)),
      workspace.onDidChangeConfiguration((event) => {
        const executables = ["path", "interpreter", "importStrategy"];
        if (executables.some((key) => event.affectsConfiguration(`${SECTION}.${key}`))) {
          void this.restart(false);
        } else if (event.affectsConfiguration(`${SECTION}.files`)) {
          void this.followConfiguration();
        }
      }),
    );
    const look = (document: TextDocument, text = document.getText()): void => {
      const file = document.uri.scheme === "file" ? document.uri.path : "";
      if (!this.requested && isWorthAServer({ languageId: document.languageId, path: file }, text)) {
        void this.wake();
      }
    };
    this.context.subscriptions.push(
      workspace.onDidOpenTextDocument((document) => {
        look(document);
      }),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!this.requested) {
          look(document, contentChanges.map(({ range, text }) => document.lineAt(range.start.line).text + "\n" + text).join("\n"));
        }
      }),
    );
    // The first start can take a while (a private environment is made): activation does not wait for it.
    void this.enqueue(async () => {
      this.folders = await configuredFolders();
      if (this.folders.length > 0 && !this.requested) {
        this.requested = true;
        await this.start();
      }
      workspace.textDocuments.forEach((document) => {
        look(document);
      });
    });
  }

  /** Stop and start again; `asked` is true where the user wants it: then earlier crashes are forgotten. */
  restart(asked: boolean): Promise<void> {
    if (!asked && !this.requested) {
      return this.queue;
    }
    this.requested = true;
    if (asked) {
      this.crashes.reset();
      this.setup?.abort(SUPERSEDED);
      this.starting?.abort(SUPERSEDED);
    }
    return this.enqueue(async () => {
      await this.stop();
      await this.start();
    });
  }

  /** Stop for good. */
  close(): Promise<void> {
    this.closed = true;
    this.setup?.abort(SUPERSEDED);
    this.starting?.abort(SUPERSEDED);
    return this.enqueue(() => this.stop());
  }

  private enqueue(action: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(action).catch((error: unknown) => {
      this.output.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
    return this.queue;
  }

  /** Attach to other documents where a configuration appeared or went away. */
  private async followConfiguration(): Promise<void> {
    const folders = await configuredFolders();
    if (!sameFolders(folders, this.folders)) {
      this.folders = folders;
      this.output.info(`Folders with a configuration: ${folders.join(", ") || "none"}`);
      this.requested ||= folders.length > 0;
      await this.restart(false);
    }
  }

  /** Start the server; `again` is true where it replaces one that crashed: then a failure counts as another crash. */
  private async start(again = false): Promise<void> {
    if (this.closed) {
      return;
    }
    this.status.setState("starting");
    const gone = new AbortController();
    this.starting = gone;
    try {
      const { executable, description } = await this.executable();
      this.output.info(`Server: ${[executable.command, ...(executable.args ?? [])].join(" ")} (${description})`);
      this.status.setServer(description);
      this.started = executable;
      const client: LanguageClient = new LanguageClient(SECTION, "Callwright", executable, {
        ...this.clientOptions(gone),
        stdioOptions: {
          stdout: (input) => input.resume(),
          stderr: (input, channel) => {
            createInterface({ input, crlfDelay: Infinity, terminal: false, historySize: 0 }).on("line", (line) => {
              channel.error(line);
            });
            // The client knows its process as soon as this returns.
            queueMicrotask(() => {
              this.followToItsEnd(client, executable, description);
            });
          },
        },
      });
      client.registerFeature({
        fillClientCapabilities: (capabilities) => {
          capabilities.experimental = {
            ...(capabilities.experimental as object | undefined),
            callwrightChanged: true,
            // The outline shows the headings of both extensions, one below the other: one of them is enough.
            callwrightHeadings: extensions.getExtension(MARKDOWN_EXTENSION) === undefined ? [] : [...MARKDOWN_LANGUAGES],
          };
        },
        initialize: () => undefined,
        getState: () => ({ kind: "static" }),
        clear: () => undefined,
      });
      this.client = client;
      this.status.follow(client);
      // A server that goes away just after its first answer leaves the client's own start pending for ever.
      await Promise.race([client.start(), ended(gone.signal)]);
      this.starting = undefined;
      this.status.setState("running");
      client.onNotification("callwright/changed", () => {
        this.onReload();
      });
      this.onReload();
    } catch (error) {
      this.client?.serverProcess?.kill();
      this.client = undefined;
      this.starting = undefined;
      if (error === SUPERSEDED) {
        return;
      }
      if (again && this.crashes.shouldRestart(Date.now())) {
        this.output.warn("The server stopped while it started; it is started again.");
        await this.start(true);
        return;
      }
      this.status.setState("failed");
      this.reportFailure(error);
    }
  }

  /** Keep a report of a server that goes away without being stopped. */
  private followToItsEnd(client: LanguageClient, executable: Executable, description: string): void {
    const process = client.serverProcess;
    const begun = Date.now();
    if (process === undefined) {
      return;
    }
    follow(process, (code, signal, errors) => {
      if (this.stopped.has(client)) {
        return;
      }
      const time = new Date();
      const { version } = this.context.extension.packageJSON as { version: string };
      const versions = { Callwright: version, Server: description, "VS Code": env.appName + " " + editorVersion, System: `${platform} ${arch}` };
      const command = [executable.command, ...(executable.args ?? [])];
      keepReport(this.reports, { time, code, signal, lived: time.getTime() - begun, command, versions, errors }).then(
        (file) => {
          this.output.error(`The report of the server's end is in ${file}`);
        },
        (error: unknown) => {
          this.output.error(`No report of the server's end could be written: ${String(error)}`);
        },
      );
    });
  }

  /** The newest report of a server that went away; undefined where none did. */
  newestReport(): Promise<string | undefined> {
    return newestReport(this.reports);
  }

  /** Open that report. */
  async showReport(): Promise<void> {
    const file = await this.newestReport();
    if (file === undefined) {
      void window.showInformationMessage(l10n.t("There is no crash report: the Callwright server has not stopped unexpectedly."));
    } else {
      await window.showTextDocument(Uri.file(file));
    }
  }

  /** The folder of reports: one for all windows, where they outlive the logs of a window. */
  private get reports(): string {
    return path.join(this.context.globalStorageUri.fsPath, "crash-reports");
  }

  /** End the client and its server; `gone` is true where the server has ended by itself. */
  private async stop(gone = false): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client !== undefined && !gone) {
      this.stopped.add(client);
    }
    this.status.forget();
    this.status.setState("stopped");
    if (client !== undefined) {
      try {
        await client.dispose(5_000);
      } catch (error) {
        this.output.warn(`The server did not stop as it should: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Options of a client; `gone` is aborted when its server goes away. */
  private clientOptions(gone: AbortController): LanguageClientOptions {
    return {
      documentSelector: documentSelector(this.folders),
      outputChannel: this.output,
      traceOutputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // `dispose` would be too late for a server that fails while it initializes: the message comes from here alone.
      initializationFailedHandler: () => false,
      // Beside the settings: a folder has settings of its own and cannot trust itself. Trust that is granted later starts
      // the server again.
      initializationOptions: () => ({ settings: settingsFor(undefined), trusted: workspace.isTrusted }),
      errorHandler: {
        error: (error, _message, count): ErrorHandlerResult => {
          this.output.error(`Connection to the server: ${error.message}`);
          // Never the client's own shutdown: a server that died while it was written to would then not be missed. One
          // that cannot be written to is ended, and its end is noticed as any other.
          if (count !== undefined && count > 3) {
            this.client?.serverProcess?.kill();
          }
          return { action: ErrorAction.Continue, handled: true };
        },
        closed: () => this.serverWentAway(gone),
      },
      middleware: {
        executeCommand: async (command, args, next) => {
          const answer: unknown = await next(command, args);
          if (command === FEEDBACK && typeof answer === "string") {
            await env.clipboard.writeText(answer);
            window.setStatusBarMessage(l10n.t("Feedback copied."), 3_000);
          }
          return answer;
        },
        workspace: {
          // Only values that the user set are passed on; a default would override the configuration file.
          configuration: (params: ConfigurationParams) =>
            params.items.map((item) => {
              const scope = item.scopeUri === undefined ? undefined : Uri.parse(item.scopeUri);
              const settings = settingsFor(scope);
              if (item.section === undefined || item.section === SECTION) {
                return settings;
              }
              const key = item.section.startsWith(`${SECTION}.`) ? item.section.slice(SECTION.length + 1) : undefined;
              return key === undefined ? null : ((settings as Record<string, unknown>)[key] ?? null);
            }),
        },
      },
      markdown: { isTrusted: false, supportHtml: false },
    };
  }

  /** Find or make the executable that serves. */
  private async executable(): Promise<{ executable: Executable; description: string }> {
    const settings = workspace.getConfiguration(SECTION);
    const cwd = this.context.globalStorageUri.fsPath;
    await mkdir(cwd, { recursive: true });
    const plan = await choose({
      path: settings.get<string>("path", "").trim(),
      interpreter: settings.get<string>("interpreter", "").trim(),
      importStrategy: settings.get<string>("importStrategy", "fromEnvironment"),
      trusted: workspace.isTrusted,
      carried: (this.context.extension.packageJSON as { version: string }).version,
      selected: () => this.selectedInterpreter(),
      offline: await carriedPythons(Uri.joinPath(this.context.extensionUri, "server").fsPath),
      candidates: interpretersOnPath(process.env["PATH"] ?? "", process.platform, existsSync),
      probe: async (python) => readProbe((await run(python, PROBE_ARGUMENTS, { cwd, timeout: 20_000 })).stdout),
    });
    for (const note of plan.notes) {
      this.output.info(note);
    }
    switch (plan.kind) {
      case "executable":
        return { executable: { command: plan.path, args: ["server"], options: { cwd } }, description: plan.path };
      case "python":
        return {
          executable: { command: plan.python, args: [...SERVER_ARGUMENTS], options: { cwd } },
          description: from(plan),
        };
      case "private": {
        const python = await this.makeEnvironment(plan.python);
        return {
          executable: { command: python, args: [...SERVER_ARGUMENTS], options: { cwd, env: cleanEnvironment(process.env) } },
          description: workspace.isTrusted
            ? l10n.t("bundled, in a private environment")
            : l10n.t("bundled, in a private environment; this folder is not trusted, so its Python environment and its settings for server and tools are not used"),
        };
      }
      case "none":
        throw new SetupError(plan.reason, plan.remedy);
    }
  }

  private async makeEnvironment(python: string): Promise<string> {
    const setup = new AbortController();
    this.setup = setup;
    const { globalStorageUri, extensionUri } = this.context;
    // The notification appears with the first step that takes time; a ready environment shows none.
    let begun: Progress | undefined;
    const report = (step: string): void => {
      this.output.info(`Setting up the server: ${step}`);
      begun ??= showProgress(setup);
      begun.report(step);
    };
    try {
      return await privateEnvironment({
        storage: globalStorageUri.fsPath,
        bundle: Uri.joinPath(extensionUri, "server").fsPath,
        python,
        report,
        log: (line) => {
          this.output.debug(line);
        },
        signal: setup.signal,
      });
    } catch (error) {
      throw setup.signal.reason === SUPERSEDED ? SUPERSEDED : error;
    } finally {
      begun?.end();
      this.setup = undefined;
    }
  }

  /** The interpreter that the Python extension has selected for the first folder. */
  private async selectedInterpreter(): Promise<string | undefined> {
    const extension = extensions.getExtension<PythonExtension | undefined>("ms-python.python");
    if (extension === undefined) {
      return undefined;
    }
    try {
      const environments = (await extension.activate())?.environments;
      if (environments === undefined) {
        return undefined;
      }
      if (!this.followsPython) {
        this.followsPython = true;
        this.context.subscriptions.push(environments.onDidChangeActiveEnvironmentPath(() => void this.restart(false)));
      }
      const selected = environments.getActiveEnvironmentPath(workspace.workspaceFolders?.[0]?.uri);
      const resolved = await environments.resolveEnvironment(selected);
      return resolved?.executable.uri?.fsPath;
    } catch (error) {
      this.output.warn(`The Python extension could not be asked: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  private followsPython = false;

  private serverWentAway(gone: AbortController): CloseHandlerResult {
    gone.abort(new Error("The server stopped while it started."));
    // The code that starts a server notices its end itself.
    if (this.closed || this.client === undefined || this.starting !== undefined) {
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    if (this.crashes.shouldRestart(Date.now())) {
      this.output.warn("The server stopped unexpectedly; it is started again.");
      // Not the client's own restart: if that one fails, it is not reported.
      void this.enqueue(async () => {
        await settled();
        await this.stop(true);
        await this.start(true);
      });
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.output.error("The server stopped unexpectedly too often; it is not started again.");
    this.status.setState("failed");
    void this.offerRestart(l10n.t("The Callwright server keeps stopping."));
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private reportFailure(error: unknown): void {
    if (error instanceof SetupError) {
      this.output.error(`${error.message} ${error.remedy}`);
      void this.offerRestart(l10n.t("Callwright: {0} {1}", error.message, error.remedy));
    } else {
      const message = error instanceof Error ? error.message : String(error);
      this.output.error(`The server could not be started: ${message}`);
      void this.offerRestart(l10n.t("Callwright could not start its server: {0}", message));
    }
  }

  private async offerRestart(message: string): Promise<void> {
    const show = l10n.t("Show Output");
    const report = l10n.t("Show Crash Report");
    const again = l10n.t("Restart");
    const reports = (await this.newestReport()) === undefined ? [] : [report];
    const answer = await window.showErrorMessage(message, show, ...reports, again);
    if (answer === show) {
      this.output.show();
    } else if (answer === report) {
      await this.showReport();
    } else if (answer === again) {
      await this.restart(true);
    }
  }
}

/** Ask the servers of a folder for their tools, in a terminal in which the user sees and confirms what is started. */
async function lockTools(server: Executable | undefined): Promise<void> {
  const several = (workspace.workspaceFolders?.length ?? 0) > 1;
  const folder = several ? await window.showWorkspaceFolderPick() : workspace.workspaceFolders?.[0];
  if (several && folder === undefined) {
    return;
  }
  const plan = lockPlan({
    trusted: workspace.isTrusted,
    folder: folder?.uri.fsPath,
    server: server === undefined ? undefined : { command: server.command, args: server.args ?? [], env: (server.options?.env ?? {}) as NodeJS.ProcessEnv },
  });
  if (plan.kind === "refused") {
    void window.showErrorMessage(plan.message);
    return;
  }
  if (folder === undefined) {
    return;
  }
  // A process and no shell, so that nothing in a path is taken for more than a path.
  const execution = new ProcessExecution(plan.command, [...plan.args], { cwd: plan.cwd, env: plan.env });
  const task = new Task({ type: "callwright" }, folder, l10n.t("lock tools"), "Callwright", execution);
  task.presentationOptions = { reveal: TaskRevealKind.Always, focus: true, panel: TaskPanelKind.Dedicated };
  await tasks.executeTask(task);
}

/** Rejects with the signal's reason once it is aborted. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", end);
    if (signal.aborted) {
      end();
    }
  });
}

/** Let the client note that its connection is closed, which it does once its handler has answered. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface EnvironmentPath {
  readonly id: string;
  readonly path: string;
}

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: Uri): EnvironmentPath;
    resolveEnvironment(environment: EnvironmentPath): Promise<{ readonly executable: { readonly uri: Uri | undefined } } | undefined>;
    onDidChangeActiveEnvironmentPath(listener: () => void): { dispose(): void };
  };
}

interface Progress {
  readonly report: (step: string) => void;
  readonly end: () => void;
}

/** A notification with a cancel button that stays until `end` is called. */
function showProgress(setup: AbortController): Progress {
  let report: (step: string) => void = () => undefined;
  let end: () => void = () => undefined;
  void window.withProgress({ location: ProgressLocation.Notification, title: "Callwright", cancellable: true }, (progress, token) => {
    token.onCancellationRequested(() => {
      setup.abort();
    });
    report = (step) => {
      progress.report({ message: step });
    };
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return {
    report: (step) => {
      report(step);
    },
    end: () => {
      end();
    },
  };
}

/** Where a server comes from, as it is shown to the user. */
function from(plan: { readonly version: string; readonly python: string; readonly from: "setting" | "selected environment" }): string {
  return plan.from === "setting"
    ? l10n.t("callwright {0} of {1} (named in the settings)", plan.version, plan.python)
    : l10n.t("callwright {0} of {1} (selected environment)", plan.version, plan.python);
}

function settingsFor(scope: Uri | undefined): object {
  const settings = workspace.getConfiguration(SECTION, scope);
  return serverSettings((key) => settings.get(key));
}

/** Folders (forward slashes) that contain a configuration file, and workspace folders with files named in the settings. */
async function configuredFolders(): Promise<string[]> {
  const token = new CancellationTokenSource();
  const folders: string[] = [];
  for (const folder of workspace.workspaceFolders ?? []) {
    if ((workspace.getConfiguration(SECTION, folder.uri).get<string[] | null>("files") ?? []).length > 0) {
      folders.push(folder.uri.path);
    }
    const pattern = new RelativePattern(folder, `**/{${CONFIGURATION_FILES.join(",")}}`);
    for (const file of await workspace.findFiles(pattern, EXCLUDED, undefined, token.token)) {
      const name = path.posix.basename(file.path);
      const bytes = await workspace.fs.readFile(file).then(
        (content) => content,
        () => new Uint8Array(),
      );
      if (isConfiguration(name, Buffer.from(bytes).toString("utf8"))) {
        folders.push(path.posix.dirname(file.path));
      }
    }
  }
  return [...new Set(folders)].sort();
}
