"""Every regression of the suite has the mistake that it is kept for, and refuses it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance import places
from conformance.frozen.attach import REGRESSIONS
from conformance.frozen.regressions import read_regressions
from conformance.judge.legality import check_call
from conformance.suite import records as suite
from tests.kernels.escapes_run import refused
from tests.kernels.mutants import apply
from tests.kernels.mutants_escapes import ESCAPES
from tests.kernels.mutation_run import KERNELS
from tests.slow import slow_but

REGRESSED = {
    (operator, one.name): one
    for operator, some in read_regressions(places.records().with_name(REGRESSIONS)).items()
    for one in some
}
MOST_BYTES = 120 << 10
"""Of all regressions together: people read them."""

BUILT = (
    ("moe_token_permute_with_ep", "one expert twice in a token"),
    ("moe_init_routing_v2", "zero tokens"),
)
"""A sample of which kernels are built here; `make proofs RUN=escapes` builds all."""

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "escapes.md").read_text(encoding="utf-8")


def test_every_regression_has_a_mistake_and_every_mistake_a_regression() -> None:
    assert REGRESSED.keys() == ESCAPES.keys()


@pytest.mark.parametrize(("operator", "name"), ESCAPES)
def test_its_case_is_a_legal_call_of_the_record(operator: str, name: str) -> None:
    (record,) = suite.chosen(suite.records(), [operator])
    one = REGRESSED[operator, name]
    check_call(one.case, record)
    assert one.case.digest == one.digest
    assert one.why


@pytest.mark.parametrize(("operator", "name"), ESCAPES)
def test_its_mistake_has_its_one_place_in_the_kernel(
    operator: str, name: str, tmp_path: Path
) -> None:
    apply(ESCAPES[operator, name], operator, KERNELS, tmp_path / "kernels")


@pytest.mark.parametrize(("operator", "name"), ESCAPES)
def test_the_page_of_escapes_names_it_with_its_links(operator: str, name: str) -> None:
    rows = [row for row in PAGE.splitlines() if f"`{operator}`" in row and name in row]
    assert len(rows) == 1
    assert all(link in rows[0] for link in REGRESSED[operator, name].links)
    assert ESCAPES[operator, name].name in rows[0]


def test_all_of_them_are_few_enough_to_read() -> None:
    files = places.records().with_name(REGRESSIONS).glob("*/*.json")
    assert sum(os.path.getsize(one) for one in files) <= MOST_BYTES


@pytest.mark.parametrize(("operator", "name"), slow_but(BUILT[:1], BUILT))
def test_the_kernel_with_the_mistake_is_refused_by_the_regression_alone(
    operator: str, name: str, tmp_path: Path
) -> None:
    assert refused(operator, name, tmp_path)
