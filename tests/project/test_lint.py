"""The whole project is formatted, lint-free, typed, and keeps its import rules."""

import subprocess
import sys
from pathlib import Path

import pytest

from device_kernels.build import build
from device_kernels.toolchain import compiler

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent


def run(*command: str) -> None:
    done = subprocess.run(
        [str(SCRIPTS / command[0]), *command[1:]], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def cpp_sources() -> list[str]:
    folders = [ROOT / "device_kernels", ROOT / "examples", ROOT / "tests"]
    return sorted(
        str(path)
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in {".h", ".cpp", ".c"} and "build" not in path.relative_to(ROOT).parts
    )


def test_python_is_formatted() -> None:
    run("ruff", "format", "--check", ".")


def test_python_is_free_of_lint() -> None:
    run("ruff", "check", ".")


def test_python_is_typed() -> None:
    run("mypy")


def test_cpp_is_formatted() -> None:
    run("clang-format", "--dry-run", "--Werror", *cpp_sources())


def test_cpp_compiles_without_a_warning() -> None:
    """Of the build that every other test uses."""
    built = build(quiet=True)
    of_the_simulator = built.runtime.parent / "warnings.txt"
    assert (of_the_simulator.read_text(), built.warnings) == ("", "")


@pytest.mark.slow
def test_each_source_of_the_runtime_includes_what_it_uses() -> None:
    """Precompiled headers hide it in the build; other tests compile engine and opapi without."""
    device = ROOT / "device_kernels"
    sources = sorted(map(str, device.glob("simulator/runtime/*.cpp")))
    folders = ("simulator/include", "simulator/language", "opapi")
    includes = [f"-I{device / folder}" for folder in folders]
    run(compiler(), "-std=c++20", "-fsyntax-only", *includes, *sources)


def test_rooms_import_only_what_they_may() -> None:
    run("lint-imports")


@pytest.mark.parametrize("suffix", [".py", ".h", ".cpp"])
def test_no_file_is_longer_than_400_lines(suffix: str) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", f"*{suffix}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lengths = {name: len((ROOT / name).read_text().splitlines()) for name in tracked.stdout.split()}
    assert {name: n for name, n in lengths.items() if n > 400} == {}


def test_no_file_is_what_an_editor_or_a_merge_left() -> None:
    left = ["*.orig", "*.rej", "*.bak", "*~", "*.swp", "*.pyc"]
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *left]
    assert (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""
    )
