"""The words of dialects for true, false, null and non-finite numbers.

Owns: the words and what they mean. Must not know: which parsers accept which of them, and what is reported about the
others.
"""

import math
from typing import Any, Final

JSON_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
PYTHON_WORDS: Final[dict[str, Any]] = {"True": True, "False": False, "None": None}
#: How others write them; neither JSON nor Python accepts these.
MISWRITTEN: Final[dict[str, Any]] = {
    "TRUE": True,
    "FALSE": False,
    "NULL": None,
    "Null": None,
    "undefined": None,
    "nil": None,
}
NON_FINITE: Final = {"nan": math.nan, "NaN": math.nan, "inf": math.inf, "Infinity": math.inf}
