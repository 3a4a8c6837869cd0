"""A host tiling says in one line which rule a call breaks, the first one of several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.record.operator import Operator
from tests.kernels.host_tilings import ACCEPTED, FP32, HostTiling, host_tiling
from tests.kernels.tilings.description import OPERATORS, description
from tests.kernels.tilings.mistakes import Told
from tests.snapshots import english_pinned

EACH = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
SNAPSHOTS = Path(__file__).parent / "tilings" / "refusals"


@EACH
def test_what_is_said_of_calls_beside_the_right_ones(operator: Operator) -> None:
    of, told = description(operator), Told(host_tiling(operator.name, operator.title))
    lines: list[str] = []
    calls = {name: told.tiling.whole(call) for name, call in of.calls.items()}
    for name, call in calls.items():
        assert told.of(call)[0] == "", name
        lines += [f"# {name}, with one mistake", *told.single_mistakes(call, of.checked)]
        lines += [f"# {name}, in order", *told.order(call, of.checked)]
    first, *_ = calls
    rights = {"" if name == first else f"{name}, ": call for name, call in calls.items()}
    for name, changes in of.changes.items():
        lines += [f"# {name}"]
        lines += [told.line({**calls[first], **change}, rights) for change in changes]
    lines += ["# limits", *nothing_at(of.limits_of(operator), told.tiling)]
    english_pinned(SNAPSHOTS / f"{operator.name}.txt", "\n".join(lines))


def nothing_at(names: list[str], tiling: HostTiling) -> Iterator[str]:
    """Which limits are 0 for a topK that is none, or that some calls cannot have."""
    for top_k in (-1, 0, 2, 513):
        machine = {"cores": 2, "ub": 8192, "hidden": 8}
        zeros = [name for name in names if tiling.limit(name, top_k, FP32, **machine) == 0]
        others = [name for name in names if name not in zeros]
        told = "none is 0" if len(zeros) < len(others) else "all are 0"
        but = ", ".join(min(zeros, others, key=len))
        yield f"topK {top_k}: {told}{but and ' but '}{but}"


@EACH
def test_a_long_reason_is_cut_to_the_callers_room(operator: Operator) -> None:
    tiling: HostTiling = host_tiling(operator.name, operator.title)
    (call, *_) = description(operator).calls.values()
    status, _, reason = tiling.cut({**call, "ubBytes": 0}, room=9)
    assert (status != ACCEPTED, reason) == (True, "the unif")
