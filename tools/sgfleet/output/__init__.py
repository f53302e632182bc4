"""Findings and results for a reader: one renderer a file.

The renderers of `check` are `Writer`s: host by host, so that memory stays flat however many hosts there are.
"""
