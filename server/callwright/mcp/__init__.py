"""Live servers of the Model Context Protocol: which ones a folder names, asking one for its tools, and the lock file.

Only an explicit command comes here: checking a file or opening a folder starts nothing. Must not know: commands,
terminals, how definitions are linted.
"""
