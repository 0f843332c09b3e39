"""The `yaml` host: texts in the scalars of a YAML file.

Owns: recognising such files. Must not know: dialects, other hosts, how scalars are written.
"""

from callwright.hosts.base import HostContext, Record, RecordHost
from callwright.hosts.support.yaml_passages import yaml_record
from callwright.syntax.comments import HASH


class Yaml(RecordHost):
    """YAML: calls are read in strings of any style, and calls that are written as YAML."""

    name = "yaml"
    title = "YAML"
    suffixes = (".yaml", ".yml")
    languages = ("yaml",)
    comments = (HASH,)

    def read(self, text: str, context: HostContext) -> Record:
        """Take the file apart."""
        return yaml_record(text, context.template, wanted=context.wanted)


HOST = Yaml()
