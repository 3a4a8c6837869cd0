"""What a mismatch looks like, and which known mistakes would make it, each with its evidence."""
