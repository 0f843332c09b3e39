"""Teaching: tool instructions for prompts, in each dialect."""
