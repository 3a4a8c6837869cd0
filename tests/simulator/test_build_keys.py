"""What is part of the key of a step: all that it is compiled of, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from device_kernels import sources
from device_kernels.build import ROOT
from tests.simulator.operator_copies import copied, decrement, keys


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the test operator whose content no other test shares."""
    return copied(tmp_path)


@pytest.mark.parametrize("variable", ["CXXFLAGS", "LDFLAGS"])
def test_the_flags_of_the_environment_are_part_of_the_key(
    kernels: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    before = keys(kernels)
    monkeypatch.setenv(variable, "-g")
    after = keys(kernels)
    assert all(after[step] != before[step] for step in before)


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("CMakeLists.txt", "everything"),
        ("cmake/simulator.cmake", "everything"),
        ("simulator/include/acl/acl.h", "everything"),
        ("simulator/runtime/memory.cpp", "everything"),
        ("simulator/language/engine/schedule/launch.cpp", "everything"),
        ("opapi/plan.cpp", "everything"),
        ("simulator/language/kernel_operator.h", "operators"),
        ("kernels/shared/rows/row_sum_cut.h", "operators"),
        ("kernels/moe_token_permute/moe_token_permute_tiling.h", "moe_token_permute"),
    ],
)
def test_every_source_is_part_of_the_keys_of_the_steps_that_compile_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, changed: str
) -> None:
    copied = shutil.copytree(ROOT, tmp_path / "device_kernels")
    monkeypatch.setattr(sources, "ROOT", copied)
    before = keys(copied / "kernels")
    (copied / part).write_text((copied / part).read_text() + "\n")
    after = keys(copied / "kernels")
    found = {step for step in before if before[step] != after[step]}
    named = {"everything": set(before), "operators": set(before) - {"runtime"}}
    assert found == named.get(changed, {changed, "opapi"})


def test_an_operator_whose_folder_another_includes_is_part_of_its_key(kernels: Path) -> None:
    decrement(kernels, beside=kernels)
    with (kernels / "decrement" / "decrement_tiling.cpp").open("a") as source:
        source.write('#include "../increment/increment_notes.h"\n')
    before = keys(kernels)
    with (kernels / "increment" / "increment_notes.h").open("a") as source:
        source.write("\n")
    after = keys(kernels)
    assert {step for step in before if before[step] != after[step]} == {
        "increment",
        "decrement",
        "opapi",
    }
