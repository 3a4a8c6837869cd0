"""Relations: what results of calls have to do with each other, whatever the right values are."""
