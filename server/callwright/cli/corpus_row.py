"""`callwright corpus row`: one row of a shard, as a finding names it.

Owns: the options of the command, how a row is printed. Must not know: how rows are read.
"""

import json
import sys

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.option_groups import FormatOptions
from callwright.cli.support.options import word
from callwright.cli.support.output import json_for_people


class RowOptions(
    FormatOptions,
    wording={
        "output_format": "How the row is printed: `text` for people, its JSON indented; `json` for programs, on one"
        " line."
    },
):
    """What `callwright corpus row` takes."""

    shard: str = word("The file that holds the row.")
    number: str = word("The number of the row, from 0.")


def run(options: RowOptions) -> int:
    """Print a row of a shard, as findings and reports name it.

    A row is printed as it is judged: of a table, the columns that can hold text. What is no JSON is printed as it is,
    with nothing in it that a terminal would obey.

    Ends with 0 where the row is printed, 2 where there is none.
    """
    if not (options.number.isascii() and options.number.isdigit() and len(options.number) < 19):
        raise CommandError(f"`{options.number}` is no number of a row: write a whole number of 0 or more")

    from callwright.corpus.engine import need
    from callwright.corpus.failure import CorpusError

    try:
        need("local")
        from callwright.corpus.showing import row_of

        row = row_of(options.shard, int(options.number))
    except CorpusError as error:
        raise CommandError(str(error)) from None
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        from callwright.text.shown import visible

        print(visible(row.decode("utf-8", "replace").rstrip("\r\n")))
        return CLEAN
    from callwright.cli.support.output import to_json_line

    print(json_for_people(value, sys.stdout) if options.output_format == "text" else to_json_line(value))
    return CLEAN
