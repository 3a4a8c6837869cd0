"""Records of another repository: what they import, and where their kernels are found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance import places
from conformance.errors import UsageError
from conformance.suite import records as suite

TOY = Path(__file__).parents[1] / "toy" / "records"
OWN = places.root() / "device_kernels" / "kernels"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A repository's folder of records with one record, ``copying``."""
    return Path(shutil.copytree(TOY, tmp_path / "records"))


def kernel_folders(records: Path, *names: str) -> tuple[Path, ...] | None:
    chosen = suite.chosen(suite.records([records]), names)
    return suite.kernel_folders(chosen, [records])


def test_a_record_imports_what_lies_beside_it(records: Path) -> None:
    (records / "reference").mkdir()
    (records / "reference" / "titles.py").write_text("TITLE = 'from beside'\n")
    record = records / "copying.py"
    text = record.read_text().replace('title="Copying"', "title=titles.TITLE")
    record.write_text("from .reference import titles\n" + text)
    assert suite.operators([records])[-1].title == "from beside"


def test_a_mode_with_a_data_type_that_the_record_lacks_is_told(records: Path) -> None:
    record = records / "copying.py"
    text = record.read_text()
    given = 'Mode("plain", RULE)'
    assert text.count(given) == 1
    record.write_text(text.replace(given, 'Mode("plain", RULE, dtypes=("int33",))'))
    with pytest.raises(UsageError, match="mode plain has the data types int33; they must be among"):
        suite.operators([records])


def test_two_repositories_may_use_the_same_names(records: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    text = (records / "copying.py").read_text()
    (other / "moving.py").write_text(
        "from ._help import TITLE\n" + text.replace('"Copying"', "TITLE").replace("copying", "move")
    )
    (records / "copying.py").write_text(
        "from ._help import TITLE\n" + text.replace('"Copying"', "TITLE")
    )
    for folder in (records, other):
        (folder / "_help.py").write_text(f"TITLE = '{folder.name}'\n")
    found = suite.operators([records, other])
    assert [operator.title for operator in found[-2:]] == ["records", "other"]


def test_operators_without_kernels_beside_them_are_judged_on_the_suites_own(records: Path) -> None:
    assert kernel_folders(records) is None
    assert kernel_folders(records, "copying") is None
    (records / "kernels" / "another").mkdir(parents=True)
    assert kernel_folders(records, "copying") is None


def test_a_kernel_beside_its_record_is_built_alone(records: Path) -> None:
    (records / "kernels" / "copying").mkdir(parents=True)
    assert kernel_folders(records, "copying") == (records / "kernels",)


def test_operators_of_both_repositories_are_built_together(records: Path) -> None:
    (records / "kernels" / "copying").mkdir(parents=True)
    assert kernel_folders(records) == (OWN, records / "kernels")
    assert kernel_folders(records, "moe_init_routing_v2_grad") is None


def test_an_operator_needs_the_kernel_of_its_name_or_that_which_defines_its_function(
    records: Path,
) -> None:
    (copying,) = suite.chosen(suite.records([records]), ["copying"])
    (own, *_) = suite.operators()
    assert suite.kernel_names([own, copying], None) == (own.name, "copying")
    assert suite.kernel_names([own, replace(copying, aclnn=own.aclnn)], None) == (own.name,)
    folder = records / "kernels" / "copying"
    folder.mkdir(parents=True)
    (folder / "aclnn_copying.cpp").write_text("aclnnStatus aclnnMoving (void* workspace)")
    moving = replace(copying, name="moving", aclnn="aclnnMoving")
    assert suite.kernel_names([moving], [folder.parent]) == ("copying",)
    (folder / "aclnn_copying.cpp").write_text("MOE_TWO_PHASE(Moving, (const aclTensor* x), x)")
    assert suite.kernel_names([moving], [folder.parent]) == ("copying",)


def test_operators_that_relations_call_are_built_where_relations_are_asked() -> None:
    known = suite.records()
    (one,) = suite.chosen(known, ["moe_finalize_routing_v2_grad"])
    beside = {name for relation in one.relations for name in relation.beside}
    assert beside == {"moe_finalize_routing_v2", "moe_token_unpermute_grad"}
    assert suite.with_related([one], known, "reference") == [one]
    both = suite.with_related([one], known, "both")
    assert both[0] is one
    assert {other.name for other in both[1:]} == beside


def test_a_run_over_a_folder_of_records_is_of_them_alone_unless_it_names_others(
    records: Path,
) -> None:
    known = suite.records([records])
    own = {*suite.records()}

    def chosen(*names: str, folders: tuple[Path, ...] = (records,)) -> set[str]:
        return {one.name for one in suite.chosen(known, names, folders)}

    assert chosen() == {path.stem for path in records.glob("*.py")}
    assert chosen(*own, "copying") == {*own, "copying"}
    assert chosen(folders=()) == {*own, *chosen()}


def test_a_folder_without_a_record_is_told_from_one_that_is_none(tmp_path: Path) -> None:
    for folder, rule in ((tmp_path, "holds no record (a .py file)"), (tmp_path / "a", "no folder")):
        with pytest.raises(UsageError, match="operators directory") as told:
            suite.operators([folder])
        assert rule in str(told.value)


def test_a_record_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.py")
    with pytest.raises(UsageError, match=r"mine\.py.*is no plain file"):
        suite.operators([tmp_path])


def test_a_record_of_the_suite_is_read_when_it_is_looked_up() -> None:
    told = "import sys; from conformance.suite import records as suite; known = suite.records()"
    read = "[name.rpartition('.')[2] for name in sys.modules if 'conformance_records_' in name]"
    own = f"[name for name in {read} if name in known]"
    named = 'suite.chosen(known, ["moe_token_permute"])'
    program = f"{told}; print({own}); {named}; print({own})"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout.splitlines() == ["[]", "['moe_token_permute']"], ended.stderr


def test_a_record_of_the_suite_has_the_name_of_its_module() -> None:
    assert all(one.name == name for name, one in suite.records().items())
