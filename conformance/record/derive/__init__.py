"""What follows from an operator's signature: calls, their sizes, rejected calls, freedoms."""
