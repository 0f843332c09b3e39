"""`python -m callwright`: the same as the `callwright` command."""

import sys

from callwright.cli.main import main

sys.exit(main())
