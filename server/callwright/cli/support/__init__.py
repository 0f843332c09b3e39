"""What the commands share: arguments, files, colours and reports. No command lives here."""
