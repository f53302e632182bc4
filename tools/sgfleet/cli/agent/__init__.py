"""What `sgfleet agent` does, by what it stands on; the command itself only reads its words."""
