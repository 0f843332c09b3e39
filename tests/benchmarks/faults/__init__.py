"""Faults that are put into sound calls, to measure how they are found, placed and fixed."""
