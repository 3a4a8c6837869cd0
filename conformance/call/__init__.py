"""One call of an operator, and what was observed of it."""
