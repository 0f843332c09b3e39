"""Sources: one file for each published shape of a tool definition; they do not import each other."""
