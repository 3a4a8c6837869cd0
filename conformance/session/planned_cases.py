"""How many cases of each kind an item draws: small, on seams, for rows and edges of cells, free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.draw.ladder_cells import cells_asked, sizes_asked
from conformance.draw.profiles import Profile
from conformance.draw.rejections_asked import rejections_asked
from conformance.draw.shared_rows import shared
from conformance.record.cells import Cells, Levels
from conformance.record.edges import Edge
from conformance.record.operator import RELATIONS, Operator
from conformance.record.relation import Relation
from conformance.record.torch_binding import BY_KEYWORDS

SMALL_SHARE = 3
"""One in so many drawn cases is small. They come first: from a big case that shows a rare mistake,
shrinking may find no way to a small one, though there is one."""

SEAM_SHARE = 12
"""One in so many lies on a seam. They come after the small ones, for the same reason."""

FREE_SHARE = 3
"""One in so many cases is drawn freely, however many rows the discrete cells need."""

FEWER_IN_PYTORCH = 6
"""On routes torch_npu and python so many times fewer sequences are drawn, and one at least: to open
a device there is to load PyTorch, which takes seconds."""


@dataclass(frozen=True)
class Plan:
    """What one item draws: ``small`` cases, ``seams``, one for each row of ``cells`` and of its
    ``edges``, ``free``.
    """

    small: int
    seams: int
    cells: Cells | None
    rows: Sequence[Levels]
    free: int
    edges: Sequence[Edge] = ()


def plan(
    operator: Operator,
    mode: str,
    dtype: str,
    profile: Profile,
    *,
    beside: Sequence[str] = (),
    relation: Relation | None = None,
) -> Plan:
    """The plan of an operator's mode and dtype in a profile; a relation draws small cases first,
    then those on seams where it is always asked, then free ones.

    ``beside`` are the data types that the run judges of this mode: they share its rows.
    """
    if relation is not None:
        return _of_relation(operator, relation, profile)
    examples = examples_of_each(operator, profile)
    seams = max(1, examples // SEAM_SHARE) if operator.seam_cases else 0
    small = examples // SMALL_SHARE - seams if operator.small_cases else 0
    cells = operator.cells(mode, dtype) if operator.cells else None
    together = [one for one in shared(operator, mode, beside or (dtype,)) if dtype in one.of_each]
    rows = [row for one in together for row in one.rows(profile)[dtype]]
    edges = tuple(edge for one in together for edge in one.edges(dtype, profile))
    free = max(examples - small - seams - len(rows), examples // FREE_SHARE)
    return Plan(small, seams, cells, rows, free, edges)


def _of_relation(operator: Operator, relation: Relation, profile: Profile) -> Plan:
    """Where cores and blocks must not matter, a third of the cases is what they take in parts."""
    count = profile.invariants if relation.always else profile.relations
    seams = count // 3 if operator.seam_cases and relation.always else 0
    few = (count - seams) // 2 if operator.small_cases else 0
    return Plan(few, seams, None, (), count - few - seams)


def examples_of_each(operator: Operator, profile: Profile) -> int:
    """How many cases are drawn of each of an operator's modes and dtypes, but for its rows."""
    cells = max(1, len(operator.declared_cells))
    return min(profile.examples, profile.operator_examples // cells)


def sequences_of_each(profile: Profile, route: str) -> int:
    """How many sequences of calls are drawn of each operator."""
    return max(1, profile.sequences // (FEWER_IN_PYTORCH if route in BY_KEYWORDS else 1))


def about(operator: Operator, profile: Profile, oracle: str, shards: int = 1) -> int:
    """How many verdicts a run reaches on an operator, about: rows of levels may ask for more, a
    sequence has several, and what fails ends early.
    """
    drawn = _about_relations(operator, profile, oracle)
    if oracle == RELATIONS:
        return round(drawn / shards)
    for mode in operator.modes:
        dtypes = operator.dtypes_in(mode.name)
        drawn += examples_of_each(operator, profile) * len(dtypes)
        for together in shared(operator, mode.name, dtypes):
            drawn += len(together.edge_names(profile))
    for ladder in operator.ladders:
        each = profile.ladders
        for name, _ in cells_asked(operator, ladder, each, 0):
            drawn += len(sizes_asked(operator, ladder, name, each, 0))
    kept = len(operator.corpus) + len(operator.regressions) + len(operator.quarantine)
    refused = len(rejections_asked(operator.rejections, profile.each_rejection, 0))
    return round((drawn + profile.sequences + kept + refused) / shards) + len(operator.examples)


def _about_relations(operator: Operator, profile: Profile, oracle: str) -> int:
    drawn = 0
    for relation in operator.relations:
        cells = [cell for cell in operator.declared_cells if relation.holds_in(*cell)]
        if relation.always:
            asked = cells if profile.each_dtype else {mode for mode, _ in cells}
            drawn += len(asked) * profile.invariants
        elif relation.asked_by(oracle):
            drawn += len(cells) * profile.relations
    return drawn
