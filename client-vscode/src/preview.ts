/**
 * The transcript preview: one panel that shows the active document as a page, and jumps both ways with the editor.
 *
 * The page is made by the server and needs nothing else; here it is shown and kept up to date, and its requests are run.
 * There are three: reveal a place, copy a text, export the session. Must not know: what is on the page.
 */

import * as path from "node:path";
import {
  type Disposable,
  type ExtensionContext,
  Range,
  type TextDocument,
  type TextEditor,
  TextEditorRevealType,
  Uri,
  ViewColumn,
  type WebviewPanel,
  env,
  l10n,
  window,
  workspace,
} from "vscode";

import { type Asking, Pending, rangeOf } from "./messages";

const TYPE = "callwright.preview";
/** How long typing has to pause before the page follows, in milliseconds. */
const TYPING_PAUSE = 200;

/** What the page sends; anything else is ignored. */
interface PageMessage {
  readonly command?: unknown;
  readonly range?: unknown;
  readonly text?: unknown;
}

/** The preview of the editor's window; there is one panel, which follows the active document. */
export class Preview {
  private panel: WebviewPanel | undefined;
  private shown: Uri | undefined;
  private listeners: Disposable[] = [];
  /** Whether the page has reported that it listens. */
  private ready = false;
  private readonly pending = new Pending(TYPING_PAUSE);

  constructor(
    context: ExtensionContext,
    private readonly ask: Asking,
  ) {
    context.subscriptions.push(
      window.registerWebviewPanelSerializer(TYPE, {
        deserializeWebviewPanel: async (panel, state: unknown) => {
          const uri = (state as { uri?: unknown } | undefined)?.uri;
          this.take(panel);
          if (typeof uri === "string" && uri !== "") {
            await this.show(await workspace.openTextDocument(Uri.parse(uri)));
          } else {
            panel.dispose();
          }
        },
      }),
      {
        dispose: () => {
          this.panel?.dispose();
        },
      },
    );
  }

  /** What the panel shows, for tests: the document and the page; undefined where there is none. */
  get page(): { readonly uri: string; readonly html: string } | undefined {
    return this.panel === undefined || this.shown === undefined ? undefined : { uri: this.shown.toString(), html: this.html };
  }

  private html = "";

  /** Open the panel beside the active editor, or bring it forward; it shows the active document, or the one that is named. */
  async open(uri?: Uri): Promise<void> {
    const document = uri === undefined ? window.activeTextEditor?.document : (await window.showTextDocument(uri)).document;
    if (document === undefined) {
      void window.showInformationMessage(l10n.t("First open a transcript or a prompt; the preview shows the active document."));
      return;
    }
    if (this.panel === undefined) {
      const where = { viewColumn: ViewColumn.Beside, preserveFocus: true };
      this.take(window.createWebviewPanel(TYPE, "Callwright", where, { enableScripts: true, localResourceRoots: [], enableFindWidget: true }));
    } else {
      this.panel.reveal(undefined, true);
    }
    await this.show(document);
  }

  /** The server was started again, or its tools have changed: the page may be out of date. */
  refresh(): void {
    const document = workspace.textDocuments.find((each) => each.uri.toString() === this.shown?.toString());
    if (document !== undefined) {
      void this.show(document);
    }
  }

  private take(panel: WebviewPanel): void {
    this.panel = panel;
    this.ready = false;
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    this.listeners = [
      panel.webview.onDidReceiveMessage((message: PageMessage) => void this.handle(message)),
      panel.onDidDispose(() => {
        this.forget();
      }),
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor !== undefined && editor.document.uri.scheme !== "output") {
          void this.show(editor.document);
        }
      }),
      workspace.onDidChangeTextDocument((event) => {
        if (event.document.uri.toString() === this.shown?.toString()) {
          this.pending.later(() => void this.show(event.document));
        }
      }),
      window.onDidChangeTextEditorSelection((event) => {
        this.follow(event.textEditor);
      }),
    ];
  }

  private forget(): void {
    this.pending.cancel();
    for (const listener of this.listeners) {
      listener.dispose();
    }
    this.listeners = [];
    this.panel = undefined;
    this.shown = undefined;
    this.html = "";
  }

  /** Show a document; one that the server does not check leaves the panel as it is. */
  private async show(document: TextDocument): Promise<void> {
    const answer = await this.ask<{ html: string }>("callwright/preview", document.uri);
    const panel = this.panel;
    if (panel === undefined) {
      return;
    }
    if (answer === undefined) {
      if (this.shown === undefined) {
        panel.webview.html = emptyPage(l10n.t("Callwright does not check this document. Add it to `files` in callwright.toml."));
      }
      return;
    }
    const same = this.shown?.toString() === document.uri.toString();
    this.shown = document.uri;
    this.html = answer.html;
    panel.title = l10n.t("Preview {0}", path.posix.basename(document.uri.path));
    if (same && this.ready) {
      void panel.webview.postMessage({ command: "update", html: answer.html });
    } else {
      this.ready = false;
      panel.webview.html = answer.html;
    }
  }

  /** Scroll the page to the cursor. */
  private follow(editor: TextEditor): void {
    if (this.panel !== undefined && editor.document.uri.toString() === this.shown?.toString()) {
      const { line, character } = editor.selection.active;
      void this.panel.webview.postMessage({ command: "reveal", line, character });
    }
  }

  private async handle(message: PageMessage): Promise<void> {
    const uri = this.shown;
    if (message.command === "ready") {
      this.ready = true;
      const editor = window.visibleTextEditors.find((each) => each.document.uri.toString() === uri?.toString());
      if (editor !== undefined) {
        this.follow(editor);
      }
    } else if (message.command === "reveal" && uri !== undefined) {
      const place = rangeOf(message.range);
      if (place !== undefined) {
        await reveal(uri, new Range(...place));
      }
    } else if (message.command === "copy" && typeof message.text === "string") {
      await env.clipboard.writeText(message.text);
      void window.setStatusBarMessage(l10n.t("Feedback copied."), 3_000);
    } else if (message.command === "export" && uri !== undefined) {
      await this.exportSession(uri);
    }
  }

  /** Write the transcript that is shown as a session of the runtime, to a file that the user chooses. */
  async exportSession(document = this.shown ?? window.activeTextEditor?.document.uri): Promise<void> {
    const answer = document === undefined ? undefined : await this.ask<{ json: string }>("callwright/session", document);
    if (document === undefined || answer === undefined) {
      void window.showInformationMessage(l10n.t("This document contains no conversation with a reply, so there is no session to export."));
      return;
    }
    const name = `${path.posix.basename(document.path, path.posix.extname(document.path))}.session.json`;
    const folder = document.scheme === "file" ? Uri.joinPath(document, "..") : workspace.workspaceFolders?.[0]?.uri;
    const target = await window.showSaveDialog({
      ...(folder === undefined ? {} : { defaultUri: Uri.joinPath(folder, name) }),
      filters: { JSON: ["json"] },
      title: l10n.t("Export Session"),
    });
    if (target !== undefined) {
      await workspace.fs.writeFile(target, Buffer.from(answer.json, "utf8"));
      await window.showTextDocument(target, { preview: false });
    }
  }
}

async function reveal(uri: Uri, range: Range): Promise<void> {
  const visible = window.visibleTextEditors.find((each) => each.document.uri.toString() === uri.toString());
  const where = visible?.viewColumn ?? ViewColumn.One;
  const editor = await window.showTextDocument(uri, { viewColumn: where, selection: new Range(range.start, range.start) });
  editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport);
}

/** A page with a message of ours, which contains nothing of a document. */
function emptyPage(words: string): string {
  const escaped = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const policy = "default-src 'none'";
  return `<!DOCTYPE html><html lang="${env.language}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>Callwright</title></head><body><main><p>${escaped}</p></main></body></html>`;
}
