"""One file a command: `SUMMARY`, `add_arguments(parser)` and `run(arguments) -> exit code`.

A file of this folder is a command with its name; there is no list. What is heavy is imported inside `run`.
"""
