"""What is plainly in order is passed over quickly."""
