"""The workloads that the project has, and the calls that records make of them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from conformance import places
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.draw.batches import batches
from conformance.judge.legality import check_call
from conformance.record.contract import Selected
from conformance.record.operator import Operator
from conformance.record.workload import ROUTINGS, Batch, own
from conformance.session.workload_item import dtype_of
from conformance.suite import records as suite
from tests.cases.drawing import one_of_each

OWN = own(places.workloads())
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "workloads.md"
OPERATORS = suite.operators([])


def test_at_least_fifteen_published_models_each_with_a_link() -> None:
    assert len(OWN) >= 15
    assert len({one.model for one in OWN}) == len(OWN)
    assert all(one.source.startswith("https://") for one in OWN)
    assert all(one.decode[0] == 1 and one.decode[-1] == 512 for one in OWN)
    assert all({4096, 8192} <= {*one.prefill} for one in OWN)


def test_the_page_has_each_of_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for one in OWN:
        sizes = f"{one.experts} | {one.top_k} | {one.hidden} | {one.shared_experts} | {one.ranks}"
        assert f"| `{one.name}` | [{one.model}]({one.source}) | {sizes} |" in page


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: one.name)
def test_a_call_of_a_workload_is_legal_and_has_its_sizes(operator: Operator) -> None:
    assert operator.workload_cases is not None
    few = [b for one in OWN[::4] for b in islice(batches(one, OWN, 0, 1), 3)]
    strategies = [operator.workload_cases(dtype_of(operator), batch) for batch in few]
    modes = {mode.name for mode in operator.modes}
    for batch, case in zip(few, one_of_each(strategies), strict=True):
        check_call(case, operator)
        call_of(operator, case)
        assert case.mode in modes
        tensors = {**case.inputs, **case.outputs}.values()
        slots = batch.tokens * batch.workload.top_k
        assert any(tensor.size == slots or tensor.shape[:1] == (slots,) for tensor in tensors)
        columns = batch.columns if of_columns(operator) else batch.workload.experts
        assert any(tensor.shape[-1:] == (columns,) for tensor in tensors)


def of_columns(operator: Operator) -> bool:
    """Whether its calls have the columns of a token; others have a score for each expert."""
    assert operator.signature is not None
    return "hidden" in operator.signature.sizes


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: one.name)
@pytest.mark.parametrize("routing", ROUTINGS)
def test_a_call_has_the_routing_of_its_batch(operator: Operator, routing: str) -> None:
    assert operator.workload_cases is not None
    batch = Batch(OWN[0], 8, 4, routing, seed=5)
    (case,) = one_of_each([operator.workload_cases(dtype_of(operator), batch)])
    wanted = {
        tuple(batch.experts.ravel().tolist()),
        tuple(batch.ranks.tolist()),
        tuple(np.sort(batch.experts, axis=None).tolist()),
    }
    listed = {
        tuple(array.ravel().tolist()) for array in case.arrays.values() if array.dtype.kind == "i"
    }
    maps = [case.arrays[name] for name in case.inputs if name == "routing_map"]
    named = [set(row.nonzero()[0].tolist()) for one in maps for row in one]
    chosen = batch.experts.tolist()
    assert (
        wanted & listed
        or named == [set(row) for row in chosen]
        or chosen in selected(operator, case)
        or np.bincount(batch.experts.ravel()).tolist() in counted(operator, case)
    )


def counted(operator: Operator, case: Case) -> list[object]:
    """The rows of each expert up to the last that has any, if a call counts them by rank."""
    assert operator.signature is not None
    if "rank" not in operator.signature.sizes:
        return []
    counts = (one.sum(axis=0) for one in case.arrays.values() if one.dtype.kind == "i")
    return [np.trim_zeros(one, "b").tolist() for one in counts if one.ndim]


def selected(operator: Operator, case: Case) -> list[object]:
    """What is selected of the scores of a call."""
    ids = [name for name in case.outputs if isinstance(operator.contract(name, case), Selected)]
    found = operator.formula(case.widened(np.float32), case.attributes) if ids else {}
    return [found[name].tolist() for name in ids]
