"""Tensors of torch, looked at without torch."""

from __future__ import annotations

from types import SimpleNamespace as Made
from typing import Any

import pytest

from conformance.devices.torch_tensors import NoSuchDtype, TorchTensors

NOTHING: Any = Made()


class Place(Made):
    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


@pytest.mark.parametrize(
    ("place", "kind", "index", "told"),
    [
        ("cpu", "cpu", None, ""),
        ("cpu", "meta", None, "meta"),
        ("cuda:0", "cuda", 0, ""),
        ("cuda:0", "cuda", None, ""),
        ("cuda:0", "cuda", 1, "cuda:1"),
        ("cuda:0", "cpu", None, "cpu"),
        ("npu", "npu", 0, ""),
    ],
)
def test_a_result_elsewhere_is_named(place: str, kind: str, index: int | None, told: str) -> None:
    result = Made(device=Place(type=kind, index=index))
    assert TorchTensors(NOTHING, NOTHING, place).elsewhere(result) == told


def test_a_dtype_that_torch_has_not_is_named() -> None:
    with pytest.raises(NoSuchDtype, match=r"torch\.uint64"):
        TorchTensors(Made(int8="int8"), NOTHING, "cpu").dtype("uint64")
