"""The front door: the commands, a module each, the run that they start, and its page."""
