"""The styles in which prompts document tools, one a file."""
