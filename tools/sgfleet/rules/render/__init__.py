"""What `render` reports."""
