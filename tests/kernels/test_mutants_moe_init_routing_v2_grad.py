"""Every seeded mistake still finds its place in the kernel, and changes that place alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.kernels.mutants_moe_init_routing_v2_grad import MUTANTS, Mutant, apply

KERNELS = Path(__file__).parents[2] / "device_kernels" / "kernels"


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_differs_from_the_kernel_by_its_one_edit(mutant: Mutant, tmp_path: Path) -> None:
    apply(mutant, KERNELS, tmp_path / "kernels")
    ours, mutated = files(KERNELS), files(tmp_path / "kernels")
    assert ours.keys() == mutated.keys()
    assert [name for name in ours if ours[name] != mutated[name]] == [mutant.file]
    assert mutated[mutant.file].replace(mutant.after, mutant.before) == ours[mutant.file]


def test_names_of_mutants_are_unique() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize(("before", "times"), [("no such text", 0), ("int64_t", "[0-9]+")])
def test_an_edit_without_exactly_one_place_is_refused_and_nothing_is_written(
    before: str, times: object, tmp_path: Path
) -> None:
    stale = replace(MUTANTS[0], before=before)
    with pytest.raises(ValueError, match=f"{before}.* occurs {times} times .*exactly once"):
        apply(stale, KERNELS, tmp_path / "kernels")
    assert not (tmp_path / "kernels").exists()
