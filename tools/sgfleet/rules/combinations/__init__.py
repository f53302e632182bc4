"""Flags that each are right and that the release refuses, changes or ignores together."""
