"""What stands under `flags:`, name by name and value by value, against the schema of the release."""
