"""Evidence told to people."""
