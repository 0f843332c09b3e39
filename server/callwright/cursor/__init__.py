"""What is being written at a place of a document."""
