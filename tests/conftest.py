"""Hypothesis in the project's own tests: how long an example takes says nothing of the code."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
