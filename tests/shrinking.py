"""How far the installed Hypothesis shrinks."""

from __future__ import annotations

import hypothesis

MOST_INDICES = 8
"""A case of so many indices or fewer is small: a person can work it out by hand."""

ENDS_EARLY = hypothesis.__version_info__ < (6, 168)
"""Whether a few shrinks stop a step before the smallest case, at one that is small all the same."""
