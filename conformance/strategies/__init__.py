"""Strategies that several operators share: sizes, machines, routings and recipes of values."""
