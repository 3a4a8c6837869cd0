"""``--implementation`` names functions by operator; what it cannot mean is told with its rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.devices.python.named import folder_of_function, functions_named, placed, written
from conformance.errors import UsageError
from tests.conformance.devices.python import behaviours

FILE = behaviours.__file__
MODULE = behaviours.__name__


def named(*texts: str, operators: tuple[str, ...] = (), device: str = "auto") -> dict[str, str]:
    return functions_named(texts, "numpy", device, operators).by_operator


def test_a_file_becomes_absolute_and_a_module_stays() -> None:
    short = Path(FILE).relative_to(Path.cwd()) if Path(FILE).is_relative_to(Path.cwd()) else FILE
    assert named(f"{short}:good", operators=("one",)) == {"one": f"{FILE}:good"}
    assert named(f"{MODULE}:Kernels.good", operators=("one",)) == {"one": f"{MODULE}:Kernels.good"}


def test_several_operators_have_a_function_each() -> None:
    assert named(f"a={FILE}:good", f"b={MODULE}:good") == {
        "a": f"{FILE}:good",
        "b": f"{MODULE}:good",
    }


def test_they_are_written_as_they_are_named() -> None:
    found = functions_named([f"a={FILE}:good"], "torch", "cuda", [])
    assert written(found) == (f"a={FILE}:good", "torch")
    assert found.place == "cuda:0"


@pytest.mark.parametrize(
    ("texts", "operators", "why"),
    [
        (["x.f"], ["one"], "allowed: FILE.py:FUNCTION or MODULE:FUNCTION"),
        ([f"{FILE}:"], ["one"], "allowed: FILE.py:FUNCTION or MODULE:FUNCTION"),
        ([f"{FILE}:good()"], ["one"], "allowed: FILE.py:FUNCTION or MODULE:FUNCTION"),
        (["a/b:f"], ["one"], "allowed: FILE.py:FUNCTION or MODULE:FUNCTION"),
        (["absent.py:f"], ["one"], "there is no file absent.py"),
        ([f"{FILE}:good"], [], "name one operator, or write OPERATOR=FILE.py:FUNCTION"),
        ([f"{FILE}:good"], ["one", "two"], "name one operator"),
        ([f"a={FILE}:good", f"a={FILE}:good"], [], "a has a function already"),
        ([f"a={FILE}:good"], ["b"], "b has no function; there is one for a"),
    ],
)
def test_what_it_cannot_mean_is_told(texts: list[str], operators: list[str], why: str) -> None:
    with pytest.raises(UsageError) as error:
        named(*texts, operators=tuple(operators))
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("device", "tensors", "why"),
    [
        ("sim:", "torch", "allowed with --implementation: auto, cpu, cuda:N, npu:N, sim[:SOC]"),
        ("sim", "numpy", "arrays of numpy live on the host: cpu"),
        ("cuda:x", "torch", "allowed with --implementation: auto, cpu, cuda:N, npu:N"),
        ("cuda:0", "numpy", "arrays of numpy live on the host: cpu"),
        ("cpu", "jax", "allowed: torch, numpy"),
    ],
)
def test_where_tensors_cannot_live_is_told(device: str, tensors: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        functions_named([f"a={FILE}:good"], tensors, device, [])
    assert why in str(error.value)


def test_libraries_are_those_of_a_simulated_npu(tmp_path: Path) -> None:
    asked = ([f"a={FILE}:good"], "torch")
    found = functions_named(*asked, "sim:Ascend910B1", [], tmp_path)
    assert (found.place, found.libraries, found.simulated) == (
        "sim:Ascend910B1",
        str(tmp_path),
        True,
    )
    assert placed(found, "auto") == found
    assert placed(found, "cpu").libraries is None
    with pytest.raises(UsageError, match="goes with --implementation on --device sim alone"):
        functions_named(*asked, "auto", [], tmp_path)


def test_the_folder_of_a_function_is_known_without_an_import() -> None:
    assert folder_of_function(f"{FILE}:good") == Path(FILE).parent
    assert folder_of_function(f"{MODULE}:good") == Path(FILE).parents[4]
    assert folder_of_function("json:loads") == Path(json.__file__).parents[1]
    assert folder_of_function("absent:f") == Path()
