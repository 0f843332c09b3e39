"""`callwright corpus row`: one row of a shard, as a diagnostic names it.

Owns: the options of the command, how a row is printed. Must not know: how rows are read.
"""

import json
import sys

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.option_groups import JsonOptions
from callwright.cli.support.options import word
from callwright.cli.support.output import json_for_people


class RowOptions(
    JsonOptions,
    wording={"json": "Print the row as JSON on one line. Without it, the JSON is indented."},
    examples=("callwright corpus row data/a.jsonl 17",),
):
    """What `callwright corpus row` takes."""

    shard: str = word("The file that contains the row.")
    number: str = word("The number of the row, counted from 0.")


def run(options: RowOptions) -> int:
    """Print a row of a shard.

    Diagnostics and reports name a row by its shard and number. The row is printed as it is checked: for a table, the
    columns that can hold text. A row that is not JSON is printed as text, with control characters escaped.

    Exit code: 0 if the row is printed, 2 if it does not exist.
    """
    if not (options.number.isascii() and options.number.isdigit() and len(options.number) < 19):
        raise CommandError(f"invalid row number `{options.number}`; expected an integer of 0 or more")

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

    print(json_for_people(value, sys.stdout) if not options.json else to_json_line(value))
    return CLEAN
