"""What is explained of the page's mutants is said of mutants that exist, as many as it tells."""

from pathlib import Path

from conformance.mutants.chosen import mutants
from tests.installation.page_mutants_run import EXPLAINED, PAGE
from tests.installation.tutorial import write_files


def test_reasons_are_given_of_mutants_that_exist(tmp_path: Path) -> None:
    write_files(PAGE, tmp_path)
    kernel = tmp_path / "operators" / "kernels" / "row_pair_sum"
    every = [str(mutant) for mutant in mutants(kernel, kernel)]
    assert EXPLAINED.keys() <= set(every)
    assert f"all {len(every)} are judged" in " ".join(PAGE.split())
