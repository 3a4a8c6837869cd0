"""`make oldest` runs with the very versions that pyproject.toml promises to work with."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

LISTED = (Path(__file__).parent / "oldest.txt").read_text(encoding="utf-8")


def test_the_constraints_are_the_lower_bounds() -> None:
    declared = [one for one in requires("moe-conformance") or () if "extra ==" not in one]
    promised = {}
    for requirement in declared:
        (name,) = re.findall(r"^[\w.-]+", requirement)
        (bound,) = re.findall(r">=([\d.]+)", requirement)
        promised[re.sub("[-_.]+", "-", name)] = f"{bound}.0.0".split(".")[:3]
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)$", LISTED, re.MULTILINE))
    assert {
        re.sub("[-_.]+", "-", name): version.split(".") for name, version in pinned.items()
    } == promised
