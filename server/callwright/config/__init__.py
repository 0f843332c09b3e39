"""Configuration: which settings and which tools govern a file, and what is wrong with what was written."""

from callwright.config.files import LARGEST, find_project, load_project, read_config
from callwright.config.keys import KEYS, MARKUPS, REASONINGS, SEVERITIES, known_dialects, known_rule_names
from callwright.config.project import (
    CONFIGURATION_NAMES,
    FILE,
    PYPROJECT,
    Project,
    default_project,
    override,
    with_file,
)

__all__ = [
    "CONFIGURATION_NAMES",
    "FILE",
    "KEYS",
    "LARGEST",
    "MARKUPS",
    "PYPROJECT",
    "REASONINGS",
    "SEVERITIES",
    "Project",
    "default_project",
    "find_project",
    "known_dialects",
    "known_rule_names",
    "load_project",
    "override",
    "read_config",
    "with_file",
]
