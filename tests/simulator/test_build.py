"""The build compiles once per content, never files a half or a wrong one, and explains failures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from device_kernels import steps, toolchain
from device_kernels.build import ROOT, BuildError, build, cache_folder, main
from device_kernels.sources import Inputs, operators
from device_kernels.steps import Steps
from tests.simulator.operator_copies import KERNEL, OPERATORS, copied, decrement, edit, keys


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("cache")
    runtime = build(quiet=True).runtime.resolve().parent
    shutil.copytree(runtime, cache / runtime.name)
    return cache


@pytest.fixture(autouse=True)
def cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One cache for the module, with the simulator that all tests use."""
    monkeypatch.setenv("MOE_CONFORMANCE_CACHE", str(shared_cache))
    return shared_cache


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the test operator whose content no other test shares."""
    return copied(tmp_path)


def trees(cache: Path) -> list[str]:
    return [entry.name for entry in cache.iterdir() if ".tree." in entry.name]


def test_a_second_call_finds_what_the_first_one_built(kernels: Path) -> None:
    first, second = build(kernels, quiet=True), build(kernels, quiet=True)
    assert (first.cached, second.cached) == (False, True)
    assert (second.lib, second.key) == (first.lib, first.key)
    libraries = sorted(file.name for file in first.lib.iterdir())
    assert libraries == ["libascendcl.so", "libincrement.a", "libnnopbase.so", "libopapi.so"]


@pytest.mark.slow
def test_a_changed_kernel_has_its_own_key_and_the_same_runtime(kernels: Path) -> None:
    first = build(kernels, quiet=True)
    edit(kernels / KERNEL, "bytes > 64", "bytes > 63")
    second = build(kernels, quiet=True)
    assert second.key != first.key
    assert not second.cached
    runtimes = [one.lib / "libascendcl.so" for one in (first, second)]
    assert os.path.samefile(*runtimes)
    operators = [(one.lib / "libopapi.so").read_bytes() for one in (first, second)]
    assert operators[0] != operators[1]


def test_the_content_counts_and_neither_the_place_nor_the_time(
    kernels: Path, tmp_path: Path
) -> None:
    first = build(kernels, quiet=True)
    os.utime(kernels / KERNEL, (1, 1))
    moved = shutil.copytree(kernels, tmp_path / "elsewhere")
    assert build(moved, quiet=True).lib == first.lib


@pytest.mark.parametrize("name", ["increment_notes.h", "parts/tile.h"])
def test_a_new_source_beside_a_kernel_changes_the_key(kernels: Path, name: str) -> None:
    first = build(kernels, quiet=True)
    added = kernels / "increment" / name
    added.parent.mkdir(exist_ok=True)
    added.write_text("#pragma once\n")
    assert build(kernels, quiet=True).key != first.key


def test_an_edit_of_one_operator_compiles_that_operator_and_only_what_is_asked_for(
    kernels: Path,
) -> None:
    decrement(kernels, beside=kernels)
    lines: list[str] = []
    build(kernels, only=["increment"], progress=lines.append)
    build(kernels, progress=lines.append)
    edit(kernels / KERNEL, "bytes > 64", "bytes > 61")
    both = build(kernels, progress=lines.append)
    begun = [line for line in lines if line.startswith("building")]
    assert begun == [
        "building 1 kernel: increment ...",
        "building 1 kernel: decrement ...",
        "building 1 kernel: increment ...",
    ]
    library = (both.lib / "libopapi.so").read_bytes()
    assert b"\0aclnnIncrement\0" in library
    assert b"\0aclnnDecrement\0" in library


@pytest.mark.slow
def test_what_is_built_does_not_depend_on_what_was_built_before(
    kernels: Path, tmp_path: Path, shared_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards of two machines are merged if they judged the same libraries."""
    decrement(kernels, beside=kernels)
    alone = build(kernels, only=["increment"], quiet=True).lib
    pieces = build(kernels, quiet=True).lib
    other = tmp_path / "cache"
    runtime = next(shared_cache.glob("runtime-*/lib")).parent
    shutil.copytree(runtime, other / runtime.name)
    monkeypatch.setenv("MOE_CONFORMANCE_CACHE", str(other))
    whole = build(kernels, quiet=True).lib
    names = ["libdecrement.a", "libincrement.a", "libopapi.so"]
    assert all((pieces / one).read_bytes() == (whole / one).read_bytes() for one in names)
    assert (alone / names[1]).read_bytes() == (whole / names[1]).read_bytes()


def test_an_operator_that_no_folder_has_is_named_before_anything_is_built(
    kernels: Path, cache: Path
) -> None:
    before = sorted(cache.iterdir())
    with pytest.raises(BuildError) as refused:
        build(kernels, only=["decrement"], quiet=True)
    missing = kernels / "decrement" / "decrement_kernel.cpp"
    assert str(refused.value) == f"there is no kernel of decrement: no {missing}"
    assert sorted(cache.iterdir()) == before


@pytest.mark.parametrize("missing", ["increment_tiling.cpp", "aclnn_increment.cpp"])
def test_a_source_that_an_operator_lacks_is_named_before_anything_is_built(
    kernels: Path, cache: Path, missing: str
) -> None:
    before = sorted(cache.iterdir())
    (kernels / "increment" / missing).unlink()
    with pytest.raises(BuildError, match=f"increment has no {missing}"):
        build(kernels, quiet=True)
    assert sorted(cache.iterdir()) == before


def test_each_file_is_told_while_it_is_built(kernels: Path) -> None:
    told: list[tuple[int, int, str]] = []
    for source in (kernels / "increment").iterdir():
        source.write_text(source.read_text() + "// none is there\n")
    inputs = Inputs(operators([kernels]), toolchain.compiler())
    build(OPERATORS, quiet=True)
    Steps(inputs, inputs.keys(), cache_folder(), lambda *step: told.append(step)).make_libraries()
    numbers, of, files = zip(*told, strict=True)
    assert list(numbers) == sorted(set(numbers))
    assert len(set(of)) == 1
    assert numbers[-1] <= of[0]
    assert {"increment_kernel.cpp", "increment_tiling.cpp", "aclnn_increment.cpp"} <= set(files)


def test_progress_says_what_is_built_and_how_long_it_took(kernels: Path) -> None:
    lines: list[str] = []
    build(kernels, progress=lines.append)
    build(kernels, progress=lines.append)
    assert len(lines) == 2
    assert lines[0].endswith("1 kernel: increment ...")
    assert lines[1].startswith("built ")
    assert lines[1].endswith(" s")


def test_what_the_compiler_warns_of_is_told_after_a_build_and_kept(kernels: Path) -> None:
    assert build(kernels, quiet=True).warnings == ""
    with (kernels / KERNEL).open("a") as source:
        source.write("static int unused_here;\n")
    lines: list[str] = []
    first = build(kernels, progress=lines.append)
    assert lines[2:] == [first.warnings]
    place, *others = first.warnings.splitlines()
    assert place.startswith(f"{kernels / KERNEL}:")
    assert "warning: 'unused_here' defined but not used" in place
    assert not any(line.startswith("[") for line in others)
    assert build(kernels, quiet=True).warnings == first.warnings


def test_a_kernel_that_does_not_compile_is_shown_with_its_first_error(
    kernels: Path, cache: Path
) -> None:
    edit(kernels / KERNEL, "output[at] =", "outptu[at] =")
    with pytest.raises(BuildError) as raised:
        build(kernels, quiet=True)
    first, *others = str(raised.value).splitlines()
    assert first == "the build failed:"
    assert "increment_kernel.cpp:" in others[0]
    assert "'outptu' was not declared" in others[0]
    assert "outptu[at] = static_cast" in others[1]
    assert trees(cache) == []
    edit(kernels / KERNEL, "outptu[at] =", "output[at] =")
    assert not build(kernels, quiet=True).cached


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("GM_ADDR count)", "uint64_t* count, int rows)", 'argument "int rows" of increment'),
        ("__aicore__ void", "__aicore__ int", "has no kernel entry"),
        (
            "const uint64_t bytes =",
            "extern int missing; const uint64_t bytes = missing +",
            "undefined reference",
        ),
    ],
)
def test_an_impossible_kernel_is_refused(kernels: Path, before: str, after: str, text: str) -> None:
    edit(kernels / KERNEL, before, after)
    with pytest.raises(BuildError, match=text):
        build(kernels, quiet=True)


def test_a_kernel_must_be_named_as_its_folder(kernels: Path) -> None:
    (kernels / "increment").rename(kernels / "addition")
    with pytest.raises(BuildError, match=r"must be named addition_kernel\.cpp"):
        build(kernels, quiet=True)


def test_a_folder_without_operators_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"it has no <operator>/<operator>_kernel\.cpp"):
        build(tmp_path, quiet=True)


def test_operators_of_several_folders_are_built_into_one_library(
    kernels: Path, tmp_path: Path
) -> None:
    further = decrement(kernels, beside=tmp_path / "further")
    both = build(kernels, further, quiet=True)
    assert both.key != build(kernels, quiet=True).key
    library = (both.lib / "libopapi.so").read_bytes()
    assert b"\0aclnnIncrement\0" in library
    assert b"\0aclnnDecrement\0" in library
    assert str(further).encode() not in library


def test_a_second_kernel_of_an_operator_is_refused(kernels: Path, tmp_path: Path) -> None:
    further = shutil.copytree(kernels, tmp_path / "further")
    with pytest.raises(BuildError, match="is a second kernel of increment"):
        build(kernels, further, quiet=True)


def test_two_processes_at_once_build_once(kernels: Path, cache: Path) -> None:
    command = [sys.executable, "-m", "device_kernels.build", "--kernels", str(kernels)]
    running = [
        subprocess.Popen(command, cwd=ROOT.parent, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert len(folders) == 1
    assert build(kernels, quiet=True).cached
    assert trees(cache) == []


@pytest.mark.slow
def test_a_source_edited_while_it_is_compiled_is_not_filed_under_its_old_key(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(OPERATORS, quiet=True)
    old = keys(kernels)["opapi"]
    compiled: list[str] = []

    def edit_then_compile(*arguments: Any) -> toolchain.Output:
        if not compiled:
            edit(kernels / KERNEL, "bytes > 64", "bytes > 62")
        compiled.append(keys(kernels)["opapi"])
        return toolchain.compile_libraries(*arguments)

    monkeypatch.setattr(steps, "compile_libraries", edit_then_compile)
    result = build(kernels, quiet=True)
    assert len(compiled) == 2
    assert result.key == compiled[1] != old
    edit(kernels / KERNEL, "bytes > 62", "bytes > 64")
    assert not build(kernels, quiet=True).cached


def test_sources_that_never_rest_are_reported(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edit_without_compiling(source: Path, tree: Path, *others: Any) -> toolchain.Output:
        (tree / "lib").mkdir()
        with (kernels / KERNEL).open("a") as file:
            file.write("\n")
        return toolchain.Output(())

    monkeypatch.setattr(steps, "compile_libraries", edit_without_compiling)
    with pytest.raises(BuildError, match="sources changed during each of 3 compilations"):
        build(kernels, quiet=True)


def test_without_ninja_make_is_used(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[[str], str | None] = toolchain.tool
    monkeypatch.setattr(toolchain, "tool", lambda name: None if name == "ninja" else real(name))
    assert not build(kernels, quiet=True).cached


@pytest.mark.parametrize(
    ("present", "advice"),
    [
        ({"ninja", "make"}, "python -m pip install cmake ninja"),
        ({"cmake"}, "no ninja and no make: python -m pip install ninja"),
    ],
)
def test_a_missing_tool_is_named_with_what_to_install(
    kernels: Path, monkeypatch: pytest.MonkeyPatch, present: set[str], advice: str
) -> None:
    monkeypatch.setattr(toolchain, "tool", lambda name: name if name in present else None)
    with pytest.raises(BuildError, match=advice):
        build(kernels, quiet=True)


def test_a_missing_compiler_is_named_with_what_to_install(
    kernels: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CXX", "g++-0")
    with pytest.raises(BuildError, match="CXX is 'g\\+\\+-0', which is not on PATH"):
        build(kernels, quiet=True)
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="install g\\+\\+ 11 or newer, or clang 14"):
        build(kernels, quiet=True)


def test_the_environment_cannot_change_the_build_type(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two environments of one key would otherwise share libraries of different flags."""
    commands: list[str] = []
    real = toolchain.compile_libraries

    def watch(source: Path, tree: Path, *others: Any) -> toolchain.Output:
        output = real(source, tree, *others)
        commands.append((tree / "compile_commands.json").read_text())
        return output

    monkeypatch.setenv("CMAKE_BUILD_TYPE", "Debug")
    monkeypatch.setenv("CMAKE_EXPORT_COMPILE_COMMANDS", "ON")
    monkeypatch.setattr(steps, "compile_libraries", watch)
    build(kernels, quiet=True)
    assert commands
    for flag in ("-O3", "-ffp-contract=off"):
        assert all(flag in text for text in commands)


@pytest.mark.parametrize("build_type", ["Debug", "Release", "Suite"])
def test_no_build_type_contracts_multiplications_and_additions(
    tmp_path: Path, build_type: str
) -> None:
    cmake = toolchain.tool("cmake")
    assert cmake is not None
    configure = [cmake, "-S", str(ROOT), "-B", str(tmp_path), f"-DCMAKE_BUILD_TYPE={build_type}"]
    configure += ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    subprocess.run(configure, check=True, capture_output=True)
    compiled = json.loads((tmp_path / "compile_commands.json").read_text())
    assert compiled
    assert all("-ffp-contract=off" in one["command"] for one in compiled)


def test_a_cache_that_cannot_be_written_is_named(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOE_CONFORMANCE_CACHE", str(kernels / KERNEL / "cache"))
    with pytest.raises(BuildError, match="Set MOE_CONFORMANCE_CACHE"):
        build(kernels, quiet=True)


def test_the_libraries_do_not_know_where_they_were_built(kernels: Path) -> None:
    for library in build(kernels, quiet=True).lib.iterdir():
        content = library.read_bytes()
        assert str(ROOT).encode() not in content
        assert str(kernels).encode() not in content


def test_the_command_prints_the_folder_and_nothing_else(
    kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--kernels", str(kernels)]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{build(kernels).lib}\n"
    assert "1 kernel: increment ..." in printed.err


def test_the_command_ends_with_3_where_nothing_could_be_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--kernels", str(tmp_path)]) == 3
    assert capsys.readouterr().err.startswith("error: kernels is ")


def test_a_level_of_checks_that_is_none_is_refused(kernels: Path) -> None:
    with pytest.raises(BuildError, match="checks is 'most'; it must be one of off, all"):
        build(kernels, checks="most", quiet=True)
