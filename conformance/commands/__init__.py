"""The commands of the front door, a module each: its options, and what it does."""
