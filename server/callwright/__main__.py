"""`python -m callwright`: the same as the `callwright` command."""

import os
import sys

try:
    _HERE = os.getcwd()  # noqa: PTH109 - what would do it is in a module, which is not imported yet
except OSError:
    _HERE = ""
if not sys.flags.safe_path and sys.path[:1] == [_HERE]:
    # Python put the current folder first: nothing imported from here on comes from it.
    del sys.path[0]

from callwright.cli.main import main

sys.exit(main())
