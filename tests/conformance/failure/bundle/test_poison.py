"""A bundle's programs tell what was never written by a second call, as the suite does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conformance import poison
from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.failure.bundle.program import PROGRAMS
from conformance.poison import OUTPUTS
from tests.conformance.devices.fakes import compile_fakes, move_case, move_operator
from tests.conformance.failure.bundle.bundles import bundle
from tests.conformance.failure.bundle.test_programs import RIGHT, WRONG, Said, compiled, cpp, python

PLACED = {"contiguous": {}, "with gaps": {"strides": (7, 3), "start": 1, "spare": 2}}


@pytest.fixture(scope="module")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fakes")
    compile_fakes(folder)
    return folder


def told(folder: Path, case: Case, fakes: Path) -> Said:
    """What the Python program says; where the compiler's time allows, the C++ one says the same."""
    bundle(folder, case, move_operator(case), Observation(Outcome.COMPLETED))
    said = python(folder, lib=fakes)
    if (case.dtype, case.outputs["y"].strides is None) in (("int8", False), ("float16", True)):
        assert said == cpp(compiled(folder, lib=fakes))
    return said


every_size = pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64"])
however_placed = pytest.mark.parametrize("placed", PLACED.values(), ids=list(PLACED))


@every_size
@however_placed
def test_a_value_that_equals_the_poison_is_right(
    tmp_path: Path, fakes: Path, dtype: str, placed: Any
) -> None:
    said = told(tmp_path / "b", move_case(OUTPUTS, dtype, **placed), fakes)
    assert "y: 6 of 6 elements are accepted" in said.text
    assert said.status == RIGHT


@every_size
@however_placed
def test_an_element_that_is_left_was_never_written_whatever_is_accepted(
    tmp_path: Path, fakes: Path, dtype: str, placed: Any
) -> None:
    said = told(tmp_path / "b", move_case(OUTPUTS, dtype, left=2, **placed), fakes)
    assert "wrong: y: 2 elements, 2 never written; first [2, 0] is 0x" in said.text
    assert said.status == WRONG


def test_the_programs_know_the_patterns_of_the_suite() -> None:
    told = (PROGRAMS / "replay_device.py").read_text()
    compiled_in = (PROGRAMS / "tensor.cpp.j2").read_text()
    words = {
        ("POISON", "kPoison"): poison.OUTPUTS,
        ("POISON_AGAIN", "kPoisonAgain"): poison.OUTPUTS_AGAIN,
        ("INPUT_GAPS", "kInputGaps"): poison.INPUT_GAPS,
        ("OUTPUT_GAPS", "kOutputGaps"): poison.OUTPUT_GAPS,
        ("WORKSPACE_POISON", "kWorkspacePoison"): poison.WORKSPACE,
    }
    found: dict[str, int] = {}
    for names, values in re.findall(r"^([A-Z_, ]+) = ((?:0x\w{4}(?:, )?)+)$", told, re.MULTILINE):
        found |= zip(names.split(", "), (int(one, 16) for one in values.split(", ")), strict=True)
    found |= {name: int(word, 16) for name, word in re.findall(r"(k\w+) = (0x\w{4})", compiled_in)}
    assert found == {name: word for names, word in words.items() for name in names}
