"""A corpus that is made: conversations of several shapes and dialects, with known faults at known places."""
