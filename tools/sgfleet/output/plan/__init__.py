"""A plan for people, programs and pull requests."""
