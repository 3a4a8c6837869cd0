"""Calls from the field: test cases and dumps of other tools, read as cases of the records."""
