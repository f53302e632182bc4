"""What the reader reports about the form of a file."""
