"""Calls and schemas: arguments bound, coerced and validated."""
