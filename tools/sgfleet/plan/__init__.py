"""Two revisions -> what changes."""
