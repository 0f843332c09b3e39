"""LSP: the server, its session and its settings. The only room that knows pygls."""
