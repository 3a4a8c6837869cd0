"""Operators of a checkout of the public repositories, built for the simulator as they are."""
