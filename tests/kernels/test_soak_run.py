"""A soak counts what its runs judged, class by class."""

from conformance.evidence.coverage import Coverage
from tests.kernels.soak_run import classes, rare


def cell(mode: str, operator: str = "toy", **cases: int) -> Coverage:
    return Coverage(
        operator=operator,
        mode=mode,
        dtype="int32",
        strength=2,
        levels={"family": cases},
        tuples=1,
    )


def test_cases_add_up_over_runs_and_a_rare_class_is_named():
    found = classes([cell("plain", lattice=20, knife=40), cell("careful", lattice=31)])
    found.update(classes([cell("plain", lattice=9, knife=0)]))
    assert rare(found, 30) == ["toy, plain, int32, family, lattice: 29 cases"]
    assert rare(found, 29) == []


def test_a_class_that_no_run_judged_is_rare():
    assert rare(classes([cell("plain", lattice=0)]), 1) == [
        "toy, plain, int32, family, lattice: 0 cases"
    ]


def test_modes_of_one_name_are_counted_for_each_operator():
    found = classes([cell("plain", "toy", lattice=40), cell("plain", "other", lattice=2)])
    assert rare(found, 30) == ["other, plain, int32, family, lattice: 2 cases"]
