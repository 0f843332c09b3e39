"""What several features share: descriptions in Markdown, and snippets. No feature lives here."""
