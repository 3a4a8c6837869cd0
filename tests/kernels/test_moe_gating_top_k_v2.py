"""The kernel of MoeGatingTopKV2 looks experts up, and without a table is that of MoeGatingTopK."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case, Tensor
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.operator import TensorParameter
from device_kernels.build import build
from tests.kernels.gating_calls import answer
from tests.kernels.group_gating_calls import GATING, NORM_TYPES, SIGMOID, Array, Gating, answered
from tests.kernels.group_gating_calls import assert_weighed as weighed

LOOKUP = tuple(
    TensorParameter(name, f"{name}Optional", "input", ("int32", "int64"), optional=True)
    for name in ("inputIds", "tid2eid")
)
HASH = replace(
    GATING,
    name="moe_gating_top_k_v2",
    title="MoeGatingTopKV2",
    aclnn="aclnnMoeGatingTopKV2",
    parameters=(*GATING.parameters[:2], *LOOKUP, *GATING.parameters[2:]),
)
TYPES = ("int32", "int64")


@dataclass(frozen=True)
class Lookup:
    """A call with ids [rows] and a table [keys, k], or with one of them alone."""

    call: Gating
    ids: Array | None
    table: Array | None
    types: tuple[str, str] = ("int32", "int32")

    def case(self) -> Case:
        case = replace(self.call.case(), operator=HASH.name)
        given = zip(("inputIds", "tid2eid"), (self.ids, self.table), self.types, strict=True)
        more = {
            name: Tensor(array.shape, dtype, tuple(array.ravel().tolist()))
            for name, array, dtype in given
            if array is not None
        }
        return replace(case, inputs={**case.inputs, **more})


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    library = build(only={GATING.name, HASH.name}, quiet=True).lib
    with closing(open_device("sim", libraries=library)) as opened:
        yield opened


def outputs(device: Device, lookup: Lookup) -> Any:
    return answer(device, HASH, lookup.case(), () if lookup.call.wants_out else ("out",))


@pytest.mark.parametrize("types", tuple(product(TYPES, TYPES)), ids=str)
@pytest.mark.parametrize(("experts", "k"), [(1, 1), (33, 32), (64, 64), (70, 7), (2048, 64)])
def test_experts_of_a_row_of_the_table_have_the_scores_of_moe_gating_top_k(
    experts: int, k: int, types: tuple[str, str], device: Device
) -> None:
    """In the largest buffer and the least, with more rows than cores and table rows named twice."""
    rng = np.random.default_rng(experts + k)
    table, ids = rng.integers(0, experts, (5, k)), rng.choice([0, 4, 4, 2], 7)
    least = 32 * -(-experts // 32) * 32
    for dtype, norm_type, renorm in product(("float32", "bfloat16"), NORM_TYPES, (False, True)):
        call = Gating(rng.normal(0, 2, (7, experts)), k, dtype, norm_type=norm_type, renorm=renorm)
        call = replace(call, ub=least if renorm else call.ub, factor=2.5)
        scores = answered(device, call)["out"].reshape(7, experts)
        got = outputs(
            device, Lookup(replace(call, bias=rng.normal(0, 9, experts)), ids, table, types)
        )
        np.testing.assert_array_equal(got["expert_idx"].reshape(7, k), table[ids])
        assert got["out"].tobytes() == scores.tobytes()
        weighed(call, got["y"].reshape(7, k), np.take_along_axis(scores, table[ids], -1))


def test_one_of_the_two_alone_changes_nothing_whatever_its_shape_is(device: Device) -> None:
    x = np.random.default_rng(1).normal(0, 2, (3, 40))
    call = Gating(x, 5, groups=8, kept=3, norm_type=SIGMOID, bias=x[0])
    due = answered(device, call)
    for ids, table in ((None, None), (np.arange(2), None), (None, np.arange(9).reshape(3, 3))):
        got = outputs(device, Lookup(call, ids, table))
        assert {name: array.tobytes() for name, array in got.items()} == {
            name: array.tobytes() for name, array in due.items()
        }
