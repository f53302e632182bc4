"""Reads the flags that a release declares out of its wheel: the sources are read and evaluated, never imported.

A release declares its flags with Python: calls of `add_argument`, annotated fields, helper functions, constants from
other modules. So this package is a small interpreter for the subset of Python that such declarations are written in. It
walks the syntax trees of the wheel's own modules, with a closed set of library functions of its own, and hands
`ServerArgs.add_cli_args` a parser that only takes notes. Python itself executes nothing of the wheel, and nothing
outside the wheel is read.

What it cannot know (a third-party module, a platform probe, a construct that it does not have) is an `Unknown` that
carries its reason and place, and that spreads through every expression that it touches. A flag with an unknown in it is
recorded as opaque.

    wheel       a wheel's modules as text, and its metadata
    program     modules, and which top-level statements bind or change which name
    values      what an expression can be worth
    interpreter the budget, the doubts, and the parts below in one object
    expressions (lookups, operators, comprehensions, typing_forms), statements (assignments, definitions),
    calls (classes, records, natives, library, argparse_actions)
    notes       the parser that takes notes
    behaviours  the type functions and actions that this project knows, by the digest of their source
    flags       notes -> flags
    switches    what an environment variable changes about them
    release     a wheel -> everything that its schema file says
"""
