"""Operator records and the templates that judge them."""
