"""The generated pages below docs/, written by `make docs`: `python -m sgfleet.cli.reference`.

A test holds every page against what this writes, so a command, a field or a format cannot change without its page.
"""
