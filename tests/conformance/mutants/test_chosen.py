"""The mutants of an operator are those of its own folder, and of headers that it includes there."""

from pathlib import Path

import pytest

from conformance.mutants.chosen import mutants, sampled, sources


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels" / "pair"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "kernels" / "shared").mkdir()
    (folder / "pair_kernel.cpp").write_text(
        '#include "parts/part.h"\n#include "../shared/far.h"\nint a = 1;\n'
    )
    (folder / "pair_tiling.cpp").write_text('#include "kernel_operator.h"\nint b = 2;\n')
    (folder / "aclnn_pair.cpp").write_text("int c = 3;\n")
    (folder / "parts" / "part.h").write_text("int d = 4;\n")
    (folder / "parts" / "unused.h").write_text("int e = 5;\n")
    (tmp_path / "kernels" / "shared" / "far.h").write_text("int f = 6;\n")
    return folder


OWN = ["pair/pair_kernel.cpp", "pair/pair_tiling.cpp", "pair/parts/part.h"]


def test_what_is_shared_and_the_entry_are_left_alone(kernel: Path) -> None:
    assert sources(kernel, kernel) == OWN
    assert [one.before for one in mutants(kernel, kernel)] == ["1", "2", "4"]


def test_what_is_shared_is_mutated_if_it_is_asked_for(kernel: Path) -> None:
    assert sources(kernel, kernel.parent) == [*OWN, "shared/far.h"]


def test_a_sample_follows_from_its_seed(kernel: Path) -> None:
    every = mutants(kernel, kernel)
    assert sampled(every, 2, 7) == sampled(every, 2, 7)
    assert [len(sampled(every, count, 0)) for count in (0, 2, 3, 9)] == [3, 2, 3, 3]
