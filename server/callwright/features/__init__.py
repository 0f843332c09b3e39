"""Features: one language-server feature a file, on spans and snapshots; positions are converted at the edge."""
