"""One file a rule; docstring = documentation = test."""
