"""Layers of experts through torch_npu: one with its gradients, and two as servers call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.torch_npu.conftest import PROGRAMS, Program


def layer(run: Program, folder: Path, program: str, *values: str) -> Any:
    ended = run(str(PROGRAMS / f"{program}.py"), *values, folder=folder)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def told(run: Program, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of one process, as most of its time goes into the import of torch."""
    return layer(run, tmp_path_factory.mktemp("layer"), "layer", "certified", "any")


def test_on_certified_values_a_layer_and_its_gradients_are_those_of_the_cpu_bit_for_bit(
    told: Any,
) -> None:
    certified = told["certified"]
    assert set(certified["differ"].values()) == {0}, certified
    assert certified["elements"]["weights grad"] == 4 * 33 * 17


def test_on_any_values_sums_and_gradients_are_as_near_as_rounding_allows(told: Any) -> None:
    free = told["any"]
    assert set(free["beyond"].values()) == {0}, free
    assert free["differ"]["rows"] == free["differ"]["ranks"] == 0


def test_layers_that_gate_by_softmax_or_in_groups_are_those_of_numpy_bit_for_bit(
    run: Program, tmp_path: Path
) -> None:
    told = layer(run, tmp_path, "serving_layer")
    parts = ("weights", "experts", "counts", "out")
    assert told == {f"{gating} {part}": 0 for gating in ("softmax", "groups") for part in parts}
