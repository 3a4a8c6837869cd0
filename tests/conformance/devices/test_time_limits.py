"""A call with much to do may take longer, in proportion."""

from __future__ import annotations

import pytest

from conformance.call.case import Case, Tensor
from conformance.devices.call import call_of
from conformance.devices.time_limits import BYTES, ITEMS, seconds_for
from tests.conformance.devices.fakes import fake_case, fake_operator


def limit_of(x: Tensor, y: Tensor) -> float:
    case = Case("Fake", "plain", x.dtype, {"addend": 1}, {"x": x}, {"y": y})
    return seconds_for(call_of(fake_operator("FakeAdd"), case), 10.0)


def test_a_small_call_has_the_limit_itself() -> None:
    call = call_of(fake_operator("FakeAdd"), fake_case())
    assert seconds_for(call, 10.0) == pytest.approx(10.0, rel=1e-3)


@pytest.mark.parametrize(
    ("shape", "dtype", "times"),
    [
        ((ITEMS,), "int32", 1 + 1 + ITEMS * 4 / BYTES),
        ((ITEMS, 1), "float32", 1 + 1 + ITEMS * 4 / BYTES),
        ((2, ITEMS // 2), "float32", 1 + ITEMS * 4 / BYTES),
        ((BYTES // 4,), "float32", 1 + 1),
        ((), "float32", 1),
        ((ITEMS, 0), "float32", 1),
    ],
)
def test_integers_count_one_by_one_other_values_by_rows_and_bytes(
    shape: tuple[int, ...], dtype: str, times: float
) -> None:
    small = Tensor((1,), "float32")
    assert limit_of(Tensor(shape, dtype), small) == pytest.approx(10.0 * times, rel=1e-3)


def test_of_a_row_sparse_tensor_the_rows_that_exist_count() -> None:
    sparse = Tensor((1 << 30, 4), "float32", rows=(0, 7, (1 << 30) - 1))
    assert limit_of(sparse, Tensor((1,), "float32")) == pytest.approx(10.0, rel=1e-3)


def test_97_791_keys_have_more_than_twice_the_limit() -> None:
    keys = 97_791
    case = Case(
        "Fake",
        "plain",
        "int32",
        {"addend": 1},
        {"x": Tensor((keys, 1), "int64")},
        {"y": Tensor((keys, 1), "int32")},
    )
    assert seconds_for(call_of(fake_operator("FakeAdd"), case), 3.0) > 7.0
