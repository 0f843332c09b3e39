"""The names of coding agents' built-in tools, which a list of tools may have beside an author's own.

Owns: the names, and which product has them. Must not know: registries, files, what any of the tools does.

These tools are neither offered nor checked. A name in this list is never a misspelt name of an author's tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

#: The names in each product's documentation, with old ones, which are still in lists in front matter.
PRODUCTS: Final[Mapping[str, str]] = {
    "VS Code": (
        "agent browser changes codebase createAndRunTask createDirectory createFile createJupyterNotebook edit "
        "editFiles editNotebook execute extensions fetch fileSearch findTestFiles getNotebookSummary "
        "getProjectSetupInfo getTaskOutput getTerminalOutput githubRepo installExtension listDirectory memory new "
        "newWorkspace openIntegratedBrowser openSimpleBrowser problems read readFile readNotebookCellOutput "
        "runCell runCommand runCommands runInTerminal runNotebooks runSubagent runTask runTasks runTests "
        "runVscodeCommand search searchResults switchAgent terminal terminalLastCommand terminalSelection testFailure "
        "textSearch todo todos usages vscode vscodeAPI web askQuestions renameSymbol toolSearch viewImage"
    ),
    "GitHub Copilot": "agent bash create edit execute glob grep powershell read search shell view web",
    "Claude Code": (
        "Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree "
        "ExitPlanMode ExitWorktree Glob Grep KillBash KillShell LS LSP ListMcpResourcesTool MCPSearch MultiEdit "
        "Monitor NotebookEdit NotebookRead PowerShell Read ReadMcpResourceTool SendMessage Skill SlashCommand Task "
        "TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite "
        "ToolSearch WebFetch WebSearch Write"
    ),
    "Gemini CLI": (
        "activate_skill ask_user cli_help codebase_investigator enter_plan_mode exit_plan_mode get_internal_docs glob "
        "google_web_search grep_search list_directory read_file read_many_files replace run_shell_command save_memory "
        "search_file_content web_fetch write_file write_todos"
    ),
    "Codex": "apply_patch exec_command local_shell shell update_plan view_image web_search write_stdin",
    "opencode": (
        "apply_patch bash edit glob grep list lsp multiedit patch question read skill task todoread todowrite webfetch "
        "websearch write"
    ),
    "Kiro": "execute_bash fs_read fs_write introspect knowledge read shell spec thinking use_aws web write",
    "Cursor": (
        "codebase_search delete_file edit_file file_search grep_search list_dir read_file reapply run_terminal_cmd "
        "web_search"
    ),
    "Cline and Roo Code": (
        "access_mcp_resource apply_diff ask_followup_question attempt_completion browser_action codebase_search "
        "execute_command fetch_instructions insert_content list_code_definition_names list_files "
        "new_rule new_task plan_mode_respond read_file replace_in_file search_and_replace search_files "
        "load_mcp_documentation switch_mode update_todo_list use_mcp_tool use_skill web_fetch web_search write_to_file"
    ),
}


@cache
def product_names() -> frozenset[str]:
    """Return the names of all products."""
    return frozenset(name for names in PRODUCTS.values() for name in names.split())
