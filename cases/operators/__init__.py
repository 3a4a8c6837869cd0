"""One record for each operator."""
