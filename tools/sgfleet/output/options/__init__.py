"""The ways to more KV capacity: text and JSON, one a file."""
