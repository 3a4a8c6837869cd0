"""The files with which an operator of one's own begins."""
