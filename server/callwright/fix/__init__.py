"""Fixes, applied together and safely."""
