"""Every seeded mistake still finds its place in the kernels, and changes that place alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.kernels.mutants import apply, edited
from tests.kernels.mutation_run import MUTANTS
from tests.named import named

KERNELS = Path(__file__).parents[2] / "device_kernels" / "kernels"


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("operator", MUTANTS)
def test_every_mutant_differs_from_the_kernel_by_its_one_edit(operator: str) -> None:
    for mutant in MUTANTS[operator]:
        with named(mutant.name):
            assert Path(mutant.file).parts[0] in (operator, "shared")
            text = (KERNELS / mutant.file).read_text()
            head, tail = text.split(mutant.before)
            assert edited(mutant, KERNELS) == head + mutant.after + tail != text


@pytest.mark.parametrize("operator", MUTANTS)
def test_a_kernel_with_a_mistake_differs_in_the_mistakes_file_alone(
    operator: str, tmp_path: Path
) -> None:
    mutant = MUTANTS[operator][-1]
    apply(mutant, operator, KERNELS, tmp_path / "kernels")
    ours = {
        name: text
        for name, text in files(KERNELS).items()
        if Path(name).parts[0] in (operator, "shared")
    }
    mutated = files(tmp_path / "kernels")
    assert ours.keys() == mutated.keys()
    assert [name for name in ours if ours[name] != mutated[name]] == [mutant.file]
    assert mutated[mutant.file] == edited(mutant, KERNELS)


@pytest.mark.parametrize("operator", MUTANTS)
def test_an_operator_has_at_least_eight_mutants_with_names_of_their_own(operator: str) -> None:
    mutants = MUTANTS[operator]
    assert len({mutant.name for mutant in mutants}) == len(mutants) >= 8


@pytest.mark.parametrize(("before", "times"), [("no such text", 0), ("int64_t", "[0-9]+")])
def test_an_edit_without_exactly_one_place_is_refused_and_nothing_is_written(
    before: str, times: object, tmp_path: Path
) -> None:
    stale = replace(MUTANTS["moe_init_routing_v2_grad"][0], before=before)
    with pytest.raises(ValueError, match=f"{before}.* occurs {times} times .*exactly once"):
        apply(stale, "moe_init_routing_v2_grad", KERNELS, tmp_path / "kernels")
    assert not (tmp_path / "kernels").exists()
