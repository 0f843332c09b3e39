"""What is known of rules as such: their documentation. No rule stands here."""
