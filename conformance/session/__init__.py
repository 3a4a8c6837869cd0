"""A pytest session that judges: items, what each draws, trials, and what goes on record."""
