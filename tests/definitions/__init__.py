"""Operator definitions written as plain loops, taken from the documents alone."""
