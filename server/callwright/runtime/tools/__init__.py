"""Tools that an agent runs: their interface, their manager with approvals, their results and how those are written."""
