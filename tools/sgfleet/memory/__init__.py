"""What SGLang will allocate: pure arithmetic."""
