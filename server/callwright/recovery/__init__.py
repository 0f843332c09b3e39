"""Calls that no parser reads, and markers that belong to no call."""
