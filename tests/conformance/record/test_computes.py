"""Which operators depend on functions of a device: those that say so in a contract."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.record.clause import Clause
from conformance.record.contract import Bounded, Index, Quantised, Selected, Unspecified, Varying
from tests.conformance.segment_sum import operator

CLAUSE = Clause("as it is", "a page", "document")


def never(_: object) -> object:
    raise AssertionError


BOUNDED = Bounded(CLAUSE, never)  # type: ignore[arg-type]
QUANTISED = Quantised(CLAUSE, never)  # type: ignore[arg-type]
SELECTED = Selected(CLAUSE, never)  # type: ignore[arg-type]


@pytest.mark.parametrize("contract", [BOUNDED, QUANTISED, SELECTED])
def test_an_operator_computes_if_an_output_depends_on_functions(contract: object) -> None:
    other = {"rows": Index(CLAUSE)}
    assert replace(operator(), contracts={**other, "y": contract}).computes
    varying = Varying(lambda case: "sure", {"sure": Unspecified(CLAUSE), "near": contract})  # type: ignore[dict-item]
    assert replace(operator(), contracts={**other, "y": varying}).computes


def test_no_operator_that_adds_and_moves_computes() -> None:
    assert not operator().computes
