"""Seeded mistakes: small edits of a kernel's sources, and the folders of kernels that have one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.devices.kernel_copies import copy_kernel

ALL_DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Mutant:
    """One mistake: ``before``, which occurs exactly once in ``file``, becomes ``after``.

    ``file`` is relative to the folder of kernels. ``modes`` (none: all of the operator) and
    ``dtypes`` are the cells in which some input shows the mistake; in all others the kernel stays
    right. ``cores`` is the smallest machine that shows it, ``least_indices`` the fewest indices
    that can and ``least_hidden`` the fewest columns. One that ``reorders`` changes the order of
    additions alone, where the contract leaves it open: no verdict may refuse it, and only values
    that are compared with this kernel's own order show it. Of one that is ``documented`` no drawn
    case is the call: documented ones show it. ``quarantined`` names the call in quarantine that is
    told otherwise of a kernel with the mistake, where no verdict may refuse it. ``unreached`` says
    why no call of a run is one that shows it. ``route`` is the one that shows it, if only one does.
    """

    name: str
    file: str
    before: str
    after: str
    modes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ALL_DTYPES
    cores: int = 1
    least_indices: int = 1
    least_hidden: int = 1
    reorders: bool = False
    documented: bool = False
    quarantined: str = ""
    unreached: str = ""
    route: str = ""

    @property
    def open(self) -> str:
        """Why no verdict may refuse it, or none does."""
        if self.quarantined:
            return f"the call {self.quarantined} is in quarantine"
        return "the order is open" if self.reorders else self.unreached


def edited(mutant: Mutant, source_dir: Path) -> str:
    """The text of the mutant's file in the folder of kernels with its one edit.

    Raises ``ValueError`` if ``before`` does not occur exactly once.
    """
    text = (source_dir / mutant.file).read_text()
    found = text.count(mutant.before)
    if found != 1:
        raise ValueError(
            f"mutant {mutant.name}: {mutant.before!r} occurs {found} times in {mutant.file}; "
            "it must occur exactly once"
        )
    return text.replace(mutant.before, mutant.after)


def apply(mutant: Mutant, operator: str, source_dir: Path, target_dir: Path) -> None:
    """Copy ``operator`` of the folder of kernels ``source_dir``, and what it shares with others, to
    ``target_dir`` with the one edit of ``mutant``.

    ``target_dir`` must not exist. Raises ``ValueError``, before anything is written, where
    ``before`` does not occur exactly once.
    """
    text = edited(mutant, source_dir)
    copy_kernel(source_dir / operator, target_dir)
    (target_dir / mutant.file).write_text(text)
