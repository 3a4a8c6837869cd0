"""Which mutants there are of an operator's kernel and host tiling, and which of them are judged."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

from conformance.mutants.source_mutants import SourceMutant, source_mutants

LIMITS = re.compile(r'(?:extern "C"|inline) int64_t \w*Limit\(')
INCLUDED = re.compile(r'^#include "(.*)"', re.M)


def sources(folder: Path, within: Path) -> list[str]:
    """The files of the kernel and tiling in an operator's folder, and those that they include from
    ``within``: paths below the folder of kernels.

    Not the operator's entry, and not the shared parts of limits (``reached``).
    """
    kernels = folder.parent
    found = {
        path.relative_to(kernels)
        for path in folder.iterdir()
        if path.suffix in (".h", ".cpp") and not path.name.startswith("aclnn")
    }
    pending = list(found)
    while pending:
        beside, text = pending[-1].parent, (kernels / pending.pop()).read_text(encoding="utf-8")
        near = {Path(os.path.normpath(beside / name)) for name in INCLUDED.findall(text)}
        near = {path for path in near if not path.name.endswith("_limit.h")}
        new = {path for path in near - found if (kernels / path).is_file()}
        new = {path for path in new if within in (kernels / path).parents}
        found |= new
        pending += new
    return sorted(map(str, found))


def mutants(folder: Path, within: Path) -> list[SourceMutant]:
    """All mutants of an operator's folder, and of what it includes from ``within``."""
    return [
        mutant
        for file in sources(folder, within)
        for mutant in source_mutants(
            file, reached((folder.parent / file).read_text(encoding="utf-8"))
        )
    ]


def sampled(every: list[SourceMutant], sample: int, seed: int) -> list[SourceMutant]:
    """So many of the mutants, all of them if ``sample`` is 0 or more than there are."""
    return random.Random(seed).sample(every, sample) if 0 < sample < len(every) else every


def reached(text: str) -> str:
    """A source without the limits that it exports at its end, or that are all of it: no call of the
    operator reads them.

    Every run compares them with the record's, and tests of the tilings hold them.
    """
    return LIMITS.split(text)[0]
