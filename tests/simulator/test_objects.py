"""An object file is compiled once per content of what its source includes."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from device_kernels import toolchain
from device_kernels.build import ROOT, build, cache_folder
from device_kernels.sources import Inputs, operators
from device_kernels.steps import WARNINGS, Steps, finished
from tests.simulator.operator_copies import KERNEL, copied, edit

SOURCES = ("increment_kernel.cpp", "increment_tiling.cpp", "aclnn_increment.cpp")


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the test operator whose content no other test shares."""
    return copied(tmp_path)


def test_an_edit_of_one_source_compiles_that_source(kernels: Path, tmp_path: Path) -> None:
    runtime = build(quiet=True).runtime.parent
    (tmp_path / runtime.name).symlink_to(runtime)
    edit(kernels / KERNEL, "output[at] =", "int unused_there; output[at] =")
    first, compiled = made(kernels, tmp_path)
    assert set(SOURCES) <= set(compiled)
    edit(kernels / "increment" / "increment_tiling.cpp", "return 64", "return 63")
    second, compiled = made(kernels, tmp_path)
    assert set(SOURCES) & set(compiled) == {"increment_tiling.cpp"}
    warned = [(steps.opapi / WARNINGS).read_text() for steps in (first, second)]
    assert "unused variable 'unused_there'" in warned[0]
    assert warned[1] == warned[0], "also of what is not compiled again"


def made(kernels: Path, cache: Path) -> tuple[Steps, list[str]]:
    """The finished steps of an operator, and the files that were compiled."""
    compiled: list[str] = []
    inputs = Inputs(operators([kernels]), toolchain.compiler())
    steps = Steps(inputs, inputs.keys(), cache, lambda _, __, file: compiled.append(file))
    steps.make_libraries()
    assert finished(steps.opapi)
    return steps, compiled


@pytest.mark.parametrize(
    ("file", "text", "changed"),
    [
        (SOURCES[0], "// x", SOURCES[:1]),
        (SOURCES[0], 'extern "C" __global__ __aicore__ void next(GM_ADDR x) {}', SOURCES[::2]),
        (SOURCES[1], "// x", SOURCES[1:2]),
        (SOURCES[2], "// x", SOURCES[2:]),
        ("part.h", "// x", SOURCES[1:2]),
        ("../shared.h", "// x", SOURCES[:2]),
        ("notes.h", "// x", ()),
    ],
)
def test_an_object_s_key_is_of_what_its_source_includes(
    kernels: Path, file: str, text: str, changed: tuple[str, ...]
) -> None:
    _include(kernels / "increment" / SOURCES[0], '"../shared.h"')
    _include(kernels / "increment" / SOURCES[1], '"part.h"')
    (kernels / "increment" / "part.h").write_text('#pragma once\n#  include "../shared.h"\n')
    (kernels / "shared.h").write_text("#pragma once\n")
    before = objects(kernels)
    with (kernels / "increment" / file).open("a") as source:
        source.write(f"{text}\n")
    after = objects(kernels)
    assert {name for name in SOURCES if before[name] != after[name]} == set(changed)


@pytest.mark.parametrize(
    "line", ["#include NOTES", '#include \\\n"notes.h"', '#if __has_include("notes.h")\n#endif']
)
def test_an_object_of_which_it_cannot_be_told_what_is_included_has_a_key_of_all(
    kernels: Path, line: str
) -> None:
    with (kernels / "increment" / SOURCES[1]).open("a") as source:
        source.write(f'#define NOTES "notes.h"\n{line}\n')
    before = objects(kernels)
    (kernels / "increment" / "notes.h").write_text("#pragma once\n")
    after = objects(kernels)
    assert {name for name in SOURCES if before[name] != after[name]} == {SOURCES[1]}


def test_what_the_device_watches_is_part_of_the_kernel_s_key_alone(kernels: Path) -> None:
    watched, not_watched = objects(kernels), objects(kernels, "off")
    assert {name for name in SOURCES if watched[name] != not_watched[name]} == {SOURCES[0]}


def objects(kernels: Path, checks: str = "all") -> dict[str, str]:
    """The keys of an operator's objects, by source."""
    inputs = Inputs(operators([kernels]), toolchain.compiler(), checks)
    steps = Steps(inputs, inputs.keys(), Path())
    return {source: folder.name for source, folder in steps.objects("increment").items()}


def _include(source: Path, name: str) -> None:
    with source.open("a") as text:
        text.write(f"#include {name}\n")


@pytest.mark.slow
def test_a_kernel_is_compiled_with_the_compiled_header_to_the_same_object(tmp_path: Path) -> None:
    build(quiet=True)
    inputs = Inputs(operators([ROOT / "kernels"]), toolchain.compiler())
    steps = Steps(inputs, inputs.keys(), cache_folder())
    used = steps.precompiled()
    header = Path(used["SUITE_PRECOMPILED"], "kernel_operator.h.gch")
    version = subprocess.run([inputs.compiler, "--version"], capture_output=True, text=True)
    if "Free Software Foundation" not in version.stdout:
        assert not header.exists(), "g++ alone takes such a file"
        return
    definitions = {"SUITE_ASCENDCL": str(steps.runtime / "lib" / "libascendcl.so"), **used}
    definitions |= {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON", "CMAKE_BUILD_TYPE": "Suite"}
    cmake = toolchain.tool("cmake")
    assert cmake is not None
    configure = [cmake, "-S", str(ROOT), "-B", str(tmp_path)]
    configure += [f"-D{name}={value}" for name, value in definitions.items()]
    subprocess.run(configure, check=True, capture_output=True)
    told = json.loads((tmp_path / "compile_commands.json").read_text())
    kernel = "moe_token_permute_grad_kernel.cpp"
    (command,) = (shlex.split(one["command"]) for one in told if one["file"].endswith(kernel))
    assert f"-I{header.parent}" in command
    objects = []
    for name in ("with", "without"):
        words = [word for word in command if name == "with" or word != f"-I{header.parent}"]
        words[words.index("-o") + 1] = f"{name}.o"
        done = subprocess.run(
            [*words, "-H"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert (f"! {header}\n" in done.stderr) == (name == "with")
        objects.append((tmp_path / f"{name}.o").read_bytes())
    assert objects[0] == objects[1]
