"""What several styles of declarations share."""
