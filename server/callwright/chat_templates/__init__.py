"""Chat templates: what Hugging Face ships with a model, rendered in a child process, with the origin of each character."""
