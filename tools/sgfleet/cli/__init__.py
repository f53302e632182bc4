"""One file a command; nothing else parses arguments."""
