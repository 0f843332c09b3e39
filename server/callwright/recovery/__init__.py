"""Calls that no reader takes, and markers that belong to no call."""
