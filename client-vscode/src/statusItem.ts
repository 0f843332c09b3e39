/**
 * The status item: shows which tools and which dialect are in force for the active document.
 *
 * Must not know: how the server is found or started.
 */

import {
  type Disposable,
  MarkdownString,
  QuickPickItemKind,
  StatusBarAlignment,
  type StatusBarItem,
  ThemeColor,
  Uri,
  commands,
  l10n,
  languages,
  window,
  workspace,
} from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { type DocumentStatus, type ServerState, readStatus, statusText } from "./status";

const METHOD = "callwright/status";

/** A status bar item that follows the active editor and the server's reports. */
export class StatusItem implements Disposable {
  private readonly item: StatusBarItem;
  private readonly subscriptions: { dispose(): unknown }[] = [];
  private readonly reports = new Map<string, DocumentStatus>();
  private client: LanguageClient | undefined;
  private state: ServerState = "stopped";
  private server: string | undefined;
  private shown = statusText("stopped", undefined);

  constructor() {
    this.item = window.createStatusBarItem("callwright.status", StatusBarAlignment.Right, 100);
    this.item.name = "Callwright";
    this.item.command = "callwright.showStatus";
    this.subscriptions.push(
      this.item,
      window.onDidChangeActiveTextEditor(() => {
        this.render();
        void this.request();
      }),
    );
    this.render();
  }

  /** The current text of the item. */
  get text(): string {
    return this.shown.text;
  }

  /** The current lines of its tooltip. */
  get details(): readonly string[] {
    return this.shown.details;
  }

  /** The dialect that is configured for the active document; null for any. */
  get dialect(): string | null {
    return this.current()?.dialect ?? null;
  }

  /** Show the reports of this client from now on. */
  follow(client: LanguageClient): void {
    this.client = client;
    client.onNotification(METHOD, (message: unknown) => {
      this.take(message);
    });
  }

  /** Drop all reports: their server has stopped. */
  forget(): void {
    this.client = undefined;
    this.reports.clear();
  }

  /** Set the state of the server. */
  setState(state: ServerState): void {
    this.state = state;
    this.render();
    if (state === "running") {
      void this.request();
    }
  }

  /** Set the description of the server's executable. */
  setServer(server: string): void {
    this.server = server;
  }

  /** Show the details and what can be done, as a list to pick from. */
  async show(): Promise<void> {
    await this.request();
    const status = this.current();
    const configuration = status?.configuration ?? undefined;
    const actions: { label: string; kind?: QuickPickItemKind; run: () => unknown }[] = [
      { label: "", kind: QuickPickItemKind.Separator, run: () => undefined },
      ...(configuration === undefined
        ? []
        : [{ label: `$(gear) ${l10n.t("Open the configuration")}`, run: () => window.showTextDocument(Uri.file(configuration)) }]),
      { label: `$(output) ${l10n.t("Show the output")}`, run: () => commands.executeCommand("callwright.showOutput") },
      { label: `$(refresh) ${l10n.t("Restart the server")}`, run: () => commands.executeCommand("callwright.restart") },
    ];
    const details = this.shown.details.map((label) => ({ label, run: () => undefined }));
    const picked = await window.showQuickPick([...details, ...actions], { title: "Callwright", placeHolder: this.shown.accessible });
    await picked?.run();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private current(): DocumentStatus | undefined {
    const document = window.activeTextEditor?.document;
    return document === undefined ? undefined : this.reports.get(document.uri.toString());
  }

  /** Ask for the active document's report, where the server is attached to it. */
  private async request(): Promise<void> {
    const document = window.activeTextEditor?.document;
    const client = this.client;
    if (document === undefined || client?.isRunning() !== true || !this.attached()) {
      return;
    }
    try {
      this.take(await client.sendRequest(METHOD, { uri: client.code2ProtocolConverter.asUri(document.uri) }));
    } catch {
      // The server may not know this document, or may be stopping: the item then shows the server's state only.
    }
  }

  private attached(): boolean {
    const document = window.activeTextEditor?.document;
    const selector = this.client?.clientOptions.documentSelector;
    return document !== undefined && selector !== undefined && languages.match(selector as never, document) > 0;
  }

  private take(message: unknown): void {
    const status = readStatus(message);
    if (status !== undefined) {
      this.reports.set(Uri.parse(status.uri).toString(), status);
      this.render();
    }
  }

  private render(): void {
    const status = this.current();
    const configuration = status?.configuration ?? null;
    const shortened = configuration === null ? null : workspace.asRelativePath(configuration);
    this.shown = statusText(this.state, status === undefined ? undefined : { ...status, configuration: shortened }, this.server);
    this.item.text = this.shown.text;
    this.item.accessibilityInformation = { label: this.shown.accessible };
    const tooltip = new MarkdownString();
    for (const line of this.shown.details) {
      tooltip.appendText(line).appendMarkdown("\n\n");
    }
    this.item.tooltip = tooltip;
    this.item.backgroundColor = this.shown.severity === "error" ? new ThemeColor("statusBarItem.errorBackground") : undefined;
    const attached = this.attached();
    void commands.executeCommand("setContext", "callwright.running", this.state === "running");
    void commands.executeCommand("setContext", "callwright.attached", attached && this.state === "running");
    if (this.state === "failed" || attached) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }
}
