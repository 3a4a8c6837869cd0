"""Saved cases: read back as they were, or refused with the reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.call.case import Case, Machine, Tensor
from conformance.errors import UsageError
from conformance.failure.replay import Replay, judgement, load, save

CASE = Case(
    operator="copying",
    mode="plain",
    dtype="float32",
    attributes={"times": 2},
    inputs={"x": Tensor((2,), "float32", (0, 1))},
    outputs={"y": Tensor((2,), "float32")},
    machine=Machine(2, 4096),
)


def test_a_saved_case_is_read_back_as_it_was(tmp_path: Path) -> None:
    saved = Replay(CASE, "rejection", "times is 2")
    save(saved, tmp_path / "deep" / "case.json")
    assert load(tmp_path / "deep" / "case.json") == saved
    assert load(tmp_path / "deep" / "case.json").case.digest == CASE.digest


def test_the_route_is_saved_and_a_file_that_lacks_it_is_of_the_first_one(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    save(Replay(CASE, route="kernel"), path)
    assert load(path).route == "kernel"
    older = path.read_text().replace('"route": "kernel",', "")
    assert "kernel" not in older
    path.write_text(older)
    assert load(path).route == "aclnn"


def test_the_order_of_blocks_is_saved_and_one_that_lacks_it_is_forward(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    shuffled = replace(CASE, machine=Machine(2, 4096, "shuffled:7"))
    save(Replay(shuffled), path)
    assert load(path).case.machine == Machine(2, 4096, "shuffled:7")
    older = path.read_text().replace(',\n      "block_order": "shuffled:7"', "")
    assert "shuffled" not in older
    path.write_text(older)
    assert load(path).case.machine == Machine(2, 4096)


def test_the_functions_are_saved_and_a_machine_that_lacks_them_is_rounded(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    save(Replay(replace(CASE, machine=Machine(2, 4096, functions="hashed"))), path)
    assert load(path).case.machine == Machine(2, 4096, functions="hashed")
    older = path.read_text().replace(',\n      "functions": "hashed"', "")
    assert "hashed" not in older
    path.write_text(older)
    assert load(path).case.machine == Machine(2, 4096)


def test_the_schedule_of_pipes_is_saved_and_a_machine_that_lacks_it_has_the_programs(
    tmp_path: Path,
) -> None:
    path = tmp_path / "case.json"
    save(Replay(replace(CASE, machine=Machine(2, 4096, pipes="late"))), path)
    assert load(path).case.machine == Machine(2, 4096, pipes="late")
    older = path.read_text().replace(',\n      "pipes": "late"', "")
    assert "late" not in older
    path.write_text(older)
    assert load(path).case.machine == Machine(2, 4096)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: No such file or directory"),
        ("{", "is no case that a run wrote"),
        ("{}", "is no case that a run wrote: Object missing required field `case`"),
    ],
)
def test_a_file_that_is_no_case_is_told(tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "case.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=words):
        load(path)


def test_a_case_of_another_schema_is_told(tmp_path: Path) -> None:
    save(Replay(CASE, schema=2), tmp_path / "case.json")
    with pytest.raises(UsageError, match="has schema 2; this version reads 1"):
        load(tmp_path / "case.json")


def test_numbers_of_numpy_are_saved_as_numbers(tmp_path: Path) -> None:
    top_k = np.int64(2)
    save(Replay(Case("toy", "plain", "int32", {"top_k": top_k}, {}, {})), tmp_path / "case.json")
    assert load(tmp_path / "case.json").case.attributes == {"top_k": 2}


def test_array_attributes_are_read_back_as_arrays_and_tell_cases_apart(tmp_path: Path) -> None:
    digests = set()
    for bounds in (None, (), (1, 4), (np.int64(1), np.int64(5))):
        saved = Replay(Case("toy", "plain", "int32", {"bounds": bounds}, {}, {}))
        save(saved, tmp_path / "case.json")
        loaded = load(tmp_path / "case.json").case
        assert loaded.attributes == {"bounds": bounds}
        assert isinstance(loaded.attributes["bounds"], type(bounds))
        digests.add(loaded.digest)
    assert len(digests) == 4


def test_a_case_of_an_unknown_operator_is_told() -> None:
    with pytest.raises(UsageError, match="operator of the case is 'copying': is not on record"):
        judgement(Replay(CASE), {})
