"""A mutant that does not compile is the mutant's doing, and not that of the copy of the kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cases.operators.moe_token_permute_grad import OPERATOR
from conformance.devices.kernel_copies import BuildError
from conformance.errors import EnvironmentFailure
from conformance.mutants import bench as benches
from conformance.mutants.bench import INVALID, Bench, fates
from conformance.mutants.source_mutants import SourceMutant
from tests.waiting import wait_for

MUTANT = SourceMutant("pair/pair_kernel.cpp", 1, "number", 0, "1", "2")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    kernel = tmp_path / "kernels" / "pair"
    kernel.mkdir(parents=True)
    (kernel / "pair_kernel.cpp").write_text("1")
    return Bench(OPERATOR, "aclnn", (), (), kernel, tmp_path / "work", tmp_path)


def compiles(monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """Only sources of these texts compile."""

    def compile_copy(folder: Path, tree: Path, runtime: Path, checks: str) -> Path:
        if (folder / "pair_kernel.cpp").read_text() not in texts:
            raise BuildError("missing.h: No such file or directory")
        return tree

    monkeypatch.setattr(benches, "compile_copy", compile_copy)


def test_only_the_mutant_does_not_compile(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    compiles(monkeypatch, "1")
    assert bench.judge(MUTANT).fate == INVALID


def test_the_copy_does_not_compile_either(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    compiles(monkeypatch)
    with pytest.raises(EnvironmentFailure, match=r"unchanged kernel in .* missing\.h"):
        bench.judge(MUTANT)


def test_what_is_compiled_ends_with_its_worker(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = tmp_path / "number"

    def compile_copy(*_: object) -> Path:
        with subprocess.Popen(["sleep", "1000"]) as compiler:
            number.with_suffix(".new").write_text(str(compiler.pid))
            number.with_suffix(".new").rename(number)
        return tmp_path

    monkeypatch.setattr(benches, "compile_copy", compile_copy)
    with fates(bench, [MUTANT], 1):
        wait_for(number.exists, "a compiler")
    state = Path(f"/proc/{number.read_text()}/stat")
    wait_for(lambda: not state.exists() or " Z " in state.read_text(), "the compiler's end")
