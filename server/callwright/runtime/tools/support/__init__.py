"""What the tools and their manager share."""
