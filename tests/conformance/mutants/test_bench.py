"""A mutant that does not compile is the mutant's doing, and not that of the copy of the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases.operators.moe_token_permute_grad import OPERATOR
from conformance.devices.kernel_copies import BuildError
from conformance.errors import EnvironmentFailure
from conformance.mutants import bench as benches
from conformance.mutants.bench import INVALID, Bench
from conformance.mutants.source_mutants import SourceMutant

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
