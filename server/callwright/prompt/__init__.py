"""Prompts: what they teach, what they document, and where names occur in them."""
