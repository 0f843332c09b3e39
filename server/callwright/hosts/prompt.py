"""The `prompt` host: prompt files with front matter, as dotprompt and Prompty have them.

Owns: recognising such files, and the texts in their front matter. Must not know: dialects, other hosts, template
languages.
"""

from callwright.hosts.base import FlowHost, HostContext, Record


class Prompt(FlowHost):
    """Prompt files: read as Markdown; the texts of the front matter are read as those of a YAML file."""

    name = "prompt"
    title = "Prompt"
    fronted = True
    suffixes = (".prompt", ".prompty")
    languages = ("callwright-prompt", "dotprompt", "prompty")

    def read_front(self, front: str, context: HostContext) -> Record:
        """Take the front matter apart; its texts are in no template language, unless they declare one."""
        from callwright.hosts.support.yaml_passages import yaml_record  # what most prompts have no need of

        del context
        return yaml_record(front)


HOST = Prompt()
