"""Bundles: a refused call as files that reproduce it, with this project and without."""
