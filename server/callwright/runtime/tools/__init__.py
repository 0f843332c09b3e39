"""Tools that an agent runs: what one is, who runs it and asks for leave, what comes back and how it is told."""
