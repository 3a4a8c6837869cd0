"""Wasted work of a kernel that is right is found by the gate, and the kernel as it is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.wastes import WASTES
from tests.kernels.work_run import Comparison
from tests.slow import slow_but

QUICK = "moe_token_unpermute", "lost-double-buffer"


@pytest.mark.parametrize(
    ("operator", "name"),
    slow_but(
        [QUICK], [(operator, waste.name) for operator, some in WASTES.items() for waste in some]
    ),
)
def test_the_gate_rejects_a_waste_for_more_work_alone(
    tmp_path: Path, operator: str, name: str
) -> None:
    (waste,) = (one for one in WASTES[operator] if one.name == name)
    findings = Comparison(operator, tmp_path).of_waste(waste)
    assert {(one.kind, one.subject) for one in findings} == {("more work", operator)}


def test_the_kernel_as_it_is_is_accepted_whatever_the_schedules(tmp_path: Path) -> None:
    assert Comparison(QUICK[0], tmp_path).alarms(4) == 0
