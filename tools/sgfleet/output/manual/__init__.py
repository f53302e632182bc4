"""The command line as data, for readers and shells: reference pages, the man page, completion."""
