"""The words of notations for true, false, nothing and numbers that are no finite ones.

Owns: the words and what they mean. Must not know: who takes which of them, and what is said of the others.
"""

import math
from typing import Any, Final

JSON_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
PYTHON_WORDS: Final[dict[str, Any]] = {"True": True, "False": False, "None": None}
#: How others write them; neither JSON nor Python takes these.
MISWRITTEN: Final[dict[str, Any]] = {
    "TRUE": True,
    "FALSE": False,
    "NULL": None,
    "Null": None,
    "undefined": None,
    "nil": None,
}
NON_FINITE: Final = {"nan": math.nan, "NaN": math.nan, "inf": math.inf, "Infinity": math.inf}
