"""What rules share: evidence, fixes, wording, documentation. No rule is here."""
