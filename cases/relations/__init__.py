"""Relations that records of one kind share."""
