"""Kinds of changes that may buy KV capacity, one a file: each says what it would do from a situation."""
