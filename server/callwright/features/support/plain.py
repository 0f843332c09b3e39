"""Values of the protocol's own types as the plain data that they came from.

Owns: `plain_data`. Must not know: any single type.
"""

from enum import Enum
from typing import Any


def plain_data(value: Any) -> Any:
    """Return a value of the protocol's types as plain data, without what is not there."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [plain_data(each) for each in value]
    names = [field.name for field in getattr(type(value), "__attrs_attrs__", ())]
    if not names:
        return value
    present = {name: getattr(value, name) for name in names}
    return {_camel(name): plain_data(each) for name, each in present.items() if each is not None}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
