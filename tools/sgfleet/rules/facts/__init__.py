"""What is known of a host, and whether it can be relied on."""
