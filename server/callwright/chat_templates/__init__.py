"""Chat templates, which Hugging Face ships with models: rendered in a child process, with each character's origin."""
