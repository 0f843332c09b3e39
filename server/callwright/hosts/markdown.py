"""The `markdown` host: Markdown, read from top to bottom.

Owns: recognising such files and their front matter. Must not know: dialects, other hosts.
"""

from callwright.hosts.base import FlowHost


class Markdown(FlowHost):
    """Markdown: code spans and comments are masked, calls in fenced examples are read, front matter is skipped.

    The rules, prompts and skills of coding agents are Markdown, regardless of their endings.
    """

    name = "markdown"
    title = "Markdown"
    fronted = True
    suffixes = (".md", ".markdown", ".mdx", ".mdc")
    filenames = (".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints")
    # VS Code has languages of its own for `*.prompt.md`, `*.instructions.md`, `*.agent.md`, older `*.chatmode.md`, and
    # `SKILL.md`: microsoft/vscode, extensions/prompt-basics/package.json.
    languages = ("markdown", "prompt", "instructions", "chatagent", "chatmode", "skill")


HOST = Markdown()
