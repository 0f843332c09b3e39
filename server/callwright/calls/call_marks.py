"""What marks of calls look like, in whatever dialect.

Owns: `CALL_MARK`. Must not know: any single dialect.
"""

import re
from typing import Final

#: What marks of calls look like, which stand in no other text.
CALL_MARK: Final = re.compile(
    r"<\|[^<>|\s\"=]{1,60}\|?>|<[a-z_]{1,40}\|>|</?｜[^<>\n]{1,100}>|\[/?(?:TOOL_[A-Z_]{1,30}|ARGS)\]"
    r"|</?(?:[\w.\-]{1,40}:)?(?:ifm\|)?(?:invoke|function_calls|tool_calls?|TOOLCALL|function|parameter|param|arg_key"
    r"|arg_value|arguments|tool_sep)(?::[\w\-]{1,40})?+(?:=[^<>\n]{1,80}|\x20name=[^<>\n]{1,80})?+\s*+>"
)
