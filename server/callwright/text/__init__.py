"""Text: spans, edits, the line-array document, projections and budgets. Knows nothing of calls, tools or protocols."""
