/**
 * The tools view: a tree of sources, tools and parameters, as the server knows them, with the diagnostics in tool files.
 *
 * Must not know: how tools are read. Texts of a tool's author are shown as plain text.
 */

import {
  type Command,
  EventEmitter,
  type ExtensionContext,
  Range,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  l10n,
  window,
  workspace,
} from "vscode";

import { type Asking, rangeOf } from "./messages";

interface ParameterNode {
  readonly name: string;
  readonly detail: string;
  readonly description: string;
  readonly required: boolean;
  readonly deprecated: boolean;
}

interface LspRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

interface ToolNode {
  readonly name: string;
  readonly detail: string;
  readonly description: string;
  readonly deprecated: boolean;
  readonly uri: string | null;
  readonly range: LspRange | null;
  readonly parameters: readonly ParameterNode[];
}

interface SourceNode {
  readonly name: string;
  readonly uri: string | null;
  readonly errors: number;
  readonly warnings: number;
  readonly tools: readonly ToolNode[];
}

interface ProjectNode {
  readonly file: string | null;
  readonly sources: readonly SourceNode[];
}

/** One line of the tree: how it is shown, and what is below it. */
interface Line {
  readonly item: TreeItem;
  readonly below: readonly Line[];
}

/** The view, which is filled when it is first shown and again on each refresh. */
export class ToolsView {
  private readonly changed = new EventEmitter<void>();
  private lines: Promise<readonly Line[]> | undefined;

  constructor(
    context: ExtensionContext,
    private readonly ask: Asking,
  ) {
    const view = window.createTreeView<Line>("callwright.tools", {
      showCollapseAll: true,
      treeDataProvider: {
        onDidChangeTreeData: this.changed.event,
        getTreeItem: (line) => line.item,
        getChildren: async (line) => [...(line?.below ?? (await this.top()))],
      },
    });
    context.subscriptions.push(view, this.changed);
  }

  /** Ask the server again, once the view is shown. */
  refresh(): void {
    this.lines = undefined;
    this.changed.fire();
  }

  /** The tree as text, for tests: one line for each, indented by depth. */
  async outline(): Promise<readonly string[]> {
    const rendered = (lines: readonly Line[], depth: number): string[] =>
      lines.flatMap(({ item, below }) => {
        const label = typeof item.label === "string" ? item.label : (item.label?.label ?? "");
        const detail = typeof item.description === "string" && item.description !== "" ? ` · ${item.description}` : "";
        return ["  ".repeat(depth) + label + detail, ...rendered(below, depth + 1)];
      });
    return rendered(await this.top(), 0);
  }

  private top(): Promise<readonly Line[]> {
    this.lines ??= this.ask<{ projects: readonly ProjectNode[] }>("callwright/tools").then((answer) => {
      const projects = answer?.projects ?? [];
      if (projects.length === 1 && projects[0] !== undefined) {
        return projects[0].sources.map(sourceLine);
      }
      return projects.filter((project) => project.sources.length > 0).map(projectLine);
    });
    return this.lines;
  }
}

function projectLine(project: ProjectNode): Line {
  const item = new TreeItem(project.file === null ? l10n.t("No configuration") : workspace.asRelativePath(project.file), TreeItemCollapsibleState.Expanded);
  item.iconPath = new ThemeIcon("folder");
  return { item, below: project.sources.map(sourceLine) };
}

function sourceLine(source: SourceNode): Line {
  const item = new TreeItem(source.name, source.tools.length > 0 ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None);
  const counts = [source.tools.length === 1 ? l10n.t("1 tool") : l10n.t("{0} tools", source.tools.length)];
  if (source.errors > 0) {
    counts.push(source.errors === 1 ? l10n.t("1 error") : l10n.t("{0} errors", source.errors));
  }
  if (source.warnings > 0) {
    counts.push(source.warnings === 1 ? l10n.t("1 warning") : l10n.t("{0} warnings", source.warnings));
  }
  item.description = counts.join(", ");
  item.iconPath = new ThemeIcon(source.errors > 0 ? "error" : source.warnings > 0 ? "warning" : source.uri === null ? "package" : "file");
  item.contextValue = source.uri === null ? "shipped" : "source";
  if (source.uri !== null) {
    item.tooltip = Uri.parse(source.uri).fsPath;
    const open = openCommand(source.uri, null);
    if (open !== undefined) {
      item.command = open;
    }
  }
  return { item, below: source.tools.map(toolLine) };
}

function toolLine(tool: ToolNode): Line {
  const item = new TreeItem(tool.name, tool.parameters.length > 0 ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None);
  item.description = tool.deprecated ? l10n.t("deprecated") : tool.detail;
  item.tooltip = tool.description;
  item.iconPath = new ThemeIcon("symbol-function");
  item.contextValue = "tool";
  const open = tool.uri === null ? undefined : openCommand(tool.uri, tool.range);
  if (open !== undefined) {
    item.command = open;
  }
  return { item, below: tool.parameters.map(parameterLine) };
}

function parameterLine(parameter: ParameterNode): Line {
  const item = new TreeItem(parameter.name, TreeItemCollapsibleState.None);
  const words = [parameter.detail, parameter.required ? l10n.t("required") : "", parameter.deprecated ? l10n.t("deprecated") : ""];
  item.description = words.filter((word) => word !== "").join(", ");
  item.tooltip = parameter.description;
  item.iconPath = new ThemeIcon("symbol-parameter");
  item.contextValue = "parameter";
  return { item, below: [] };
}

function openCommand(uri: string, range: LspRange | null): Command | undefined {
  const place = range === null ? [0, 0, 0, 0] : [range.start.line, range.start.character, range.start.line, range.start.character];
  const checked = rangeOf(place);
  if (checked === undefined) {
    return undefined;
  }
  return { command: "vscode.open", title: l10n.t("Open"), arguments: [Uri.parse(uri), { selection: new Range(...checked) }] };
}
