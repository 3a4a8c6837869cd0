"""Hypothesis strategies that records share: sizes, routings, values, machines, sequences."""
