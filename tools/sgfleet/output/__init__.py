"""Findings and results for a reader: one renderer a file."""
