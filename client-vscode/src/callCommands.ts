/**
 * The commands about the call, or the diagnostic, at the cursor: everything that the light bulb and the lenses offer is in
 * the palette, too.
 *
 * Must not know: how anything is fixed or converted; the server is asked, and its edits are applied.
 */

import { type Disposable, type TextEditor, Uri, commands, env, l10n, languages, window, workspace } from "vscode";
import type { LanguageClient, WorkspaceEdit } from "vscode-languageclient/node";

import { type Offer, type Offered, dialectChoices, offered } from "./offers";

const FIX_ALL = "source.fixAll.callwright";

/** A client that runs, with the editor that is asked about. */
interface Place {
  readonly client: LanguageClient;
  readonly editor: TextEditor;
}

/** Answers the commands, as long as it is not disposed of. */
export class CallCommands {
  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly wanted: () => string | null,
  ) {}

  /** Register every command. */
  register(): Disposable[] {
    const at = (name: string, act: (place: Place) => Promise<void>): Disposable => commands.registerCommand(`callwright.${name}`, () => this.at(act));
    return [
      at("fixAll", (place) => this.take(place, FIX_ALL, undefined, l10n.t("There are no safe fixes here."))),
      at("fillParameters", (place) => this.take(place, "refactor.rewrite", "fill", l10n.t("There is no call at the cursor with a missing required parameter."))),
      at("wrapCdata", (place) => this.take(place, "refactor.rewrite", "cdata", l10n.t("No value at the cursor can be wrapped in a CDATA section."))),
      at("addExample", (place) => this.take(place, "refactor.extract", "extract", l10n.t("The call at the cursor cannot be added to the examples: it must be valid for its tool, and the tool's file must have a list of examples."))),
      at("ignoreHere", (place) => this.take(place, "quickfix", "ignore", l10n.t("There is no diagnostic at the cursor that a comment could suppress."))),
      at("convertCall", (place) => this.convert(place, true)),
      at("convertFile", (place) => this.convert(place, false)),
      at("copyFeedback", (place) => this.copyFeedback(place)),
      at("checkChatTemplate", (place) => this.checkChatTemplate(place)),
      commands.registerCommand("callwright.openRule", openRule),
    ];
  }

  private async at(act: (place: Place) => Promise<void>): Promise<void> {
    const editor = window.activeTextEditor;
    const client = this.client();
    if (editor === undefined || client?.isRunning() !== true) {
      void window.showInformationMessage(l10n.t("First open a file that Callwright checks."));
      return;
    }
    try {
      await act({ client, editor });
    } catch (error) {
      // The error is the server's reason for a refusal, in words.
      void window.showInformationMessage(error instanceof Error ? error.message : String(error));
    }
  }

  /** Carry out what the server offers at the cursor; of several offers one is picked. */
  private async take({ client, editor }: Place, kind: string, offer: Offer | undefined, nothing: string): Promise<void> {
    const answer = await client.sendRequest("textDocument/codeAction", {
      textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
      range: client.code2ProtocolConverter.asRange(editor.selection),
      context: { diagnostics: [], only: [kind] },
    });
    const found = offered(answer, offer);
    const picked = found.length > 1 ? await pick(found) : found[0];
    if (picked === undefined) {
      if (found.length === 0) {
        void window.showInformationMessage(nothing);
      }
      return;
    }
    const whole = picked.edit === undefined ? await client.sendRequest<Offered>("codeAction/resolve", picked) : picked;
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(whole.edit as WorkspaceEdit | undefined);
    if (edit === undefined || !(await workspace.applyEdit(edit))) {
      void window.showInformationMessage(nothing);
    }
  }

  private async convert({ client, editor }: Place, one: boolean): Promise<void> {
    const answer = await client.sendRequest("workspace/executeCommand", { command: "callwright.dialects", arguments: [] });
    const items = dialectChoices(answer, this.wanted()).map(({ name, summary }) => ({ label: name, detail: plain(summary) }));
    const title = one ? l10n.t("Convert the call at the cursor to which dialect?") : l10n.t("Convert every call of the file to which dialect?");
    const picked = await window.showQuickPick(items, { title, matchOnDetail: true });
    if (picked !== undefined) {
      await client.sendRequest("workspace/executeCommand", {
        command: "callwright.convert",
        arguments: [client.code2ProtocolConverter.asUri(editor.document.uri), one ? client.code2ProtocolConverter.asPosition(editor.selection.active) : null, picked.label],
      });
    }
  }

  /** Have the chat template rendered; the server says in a message what came of it. */
  private async checkChatTemplate({ client, editor }: Place): Promise<void> {
    await client.sendRequest("workspace/executeCommand", {
      command: "callwright.render",
      arguments: [client.code2ProtocolConverter.asUri(editor.document.uri)],
    });
  }

  private async copyFeedback({ client, editor }: Place): Promise<void> {
    const feedback = await client.sendRequest("workspace/executeCommand", {
      command: "callwright.feedback",
      arguments: [client.code2ProtocolConverter.asUri(editor.document.uri), client.code2ProtocolConverter.asPosition(editor.selection.active)],
    });
    if (typeof feedback === "string") {
      await env.clipboard.writeText(feedback);
      void window.setStatusBarMessage(l10n.t("Feedback copied."), 3_000);
    }
  }
}

async function pick(found: readonly Offered[]): Promise<Offered | undefined> {
  const picked = await window.showQuickPick(found.map((action) => ({ label: action.title, action })), { title: "Callwright" });
  return picked?.action;
}

/** A summary without the markers of Markdown. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}

/** Open the page of the rule of a diagnostic at the cursor. */
async function openRule(): Promise<void> {
  const editor = window.activeTextEditor;
  const pages = new Map<string, { label: string; detail: string; target: Uri }>();
  for (const { source, code, message, range } of editor === undefined ? [] : languages.getDiagnostics(editor.document.uri)) {
    if (source === "callwright" && typeof code === "object" && editor !== undefined && range.intersection(editor.selection) !== undefined) {
      pages.set(String(code.value), { label: String(code.value), detail: message, target: code.target });
    }
  }
  const items = [...pages.values()];
  const picked = items.length > 1 ? await window.showQuickPick(items, { title: "Callwright" }) : items[0];
  if (picked !== undefined) {
    await env.openExternal(picked.target);
  } else if (items.length === 0) {
    void window.showInformationMessage(l10n.t("There is no diagnostic with a page at the cursor."));
  }
}
