"""The frozen corpus: read, hashed, unchanged; frozen anew only by an act, as another version."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.call.case import Tensor
from conformance.errors import UsageError
from conformance.frozen.attach import CORPUS, attached, folders
from conformance.frozen.corpus import INDEX, read_corpus, read_index, write_corpus
from conformance.judge.legality import check_call
from conformance.record.frozen import LISTED_ELEMENTS, Frozen, frozen_now
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from conformance.values.fill import Fill

(FOLDER,) = folders(CORPUS, [])
OPERATORS = {operator.name: operator for operator in suite.operators()}
SMALL = call(
    "dropless",
    "float32",
    source=(4, 6),
    indices=(3, 0, 1, 2),
    top_k=2,
    fill=Fill(("gaussian",), seed=3, terms=2),
    unread=(),
)
NAME = OPERATOR.name


def some(*names: str) -> list[Frozen]:
    return [frozen_now(name, SMALL, "corpus") for name in names]


def test_every_case_of_the_corpus_is_the_one_that_was_frozen() -> None:
    """Read, hashed, legal by its record; where numpy draws otherwise, this is the first to say."""
    corpus = read_corpus(FOLDER)
    assert corpus is not None
    assert set(corpus.cases) == set(OPERATORS)
    for operator, cases in corpus.cases.items():
        assert 24 <= len(cases) <= 60
        for one in cases:
            check_call(one.case, OPERATORS[operator])
            assert one.case.digest == one.digest, one.name


def test_the_corpus_of_an_operator_is_small_enough_to_commit() -> None:
    assert max(path.stat().st_size for path in FOLDER.iterdir()) < 80_000


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_corpus_has_cases_of_every_mode_and_dtype_and_of_edges(operator: str) -> None:
    corpus = read_corpus(FOLDER)
    assert corpus is not None
    record, cases = OPERATORS[operator], corpus.cases[operator]
    assert {one.case.mode for one in cases} == {mode.name for mode in record.modes}
    assert {one.case.dtype for one in cases} == set(record.dtypes)
    edges = [one for one in cases if " edge " in one.name]
    assert len(edges) >= 8
    for one in edges:
        assert record.cells is not None
        near = record.cells(one.case.mode, one.case.dtype).edges
        assert near is not None
        assert one.why in near.of(one.case)


def test_cases_are_read_back_as_they_were_frozen(tmp_path: Path) -> None:
    frozen = some("one", "other")
    assert write_corpus(tmp_path, {NAME: frozen}, "now") == 1
    corpus = read_corpus(tmp_path)
    assert corpus is not None
    assert corpus.cases == {NAME: tuple(frozen)}
    assert corpus.version.startswith("1-")


def test_small_tensors_are_values_and_large_ones_recipes() -> None:
    (one,) = some("one")
    tensor = one.case.inputs["grad_expanded_x"]
    assert (tensor.fill, len(tensor.values or ())) == (None, 24)
    assert one.case.arrays["grad_expanded_x"].tobytes() == (
        SMALL.arrays["grad_expanded_x"].tobytes()
    )
    large = replace(SMALL.inputs["grad_expanded_x"], shape=(4, LISTED_ELEMENTS))
    wide = replace(
        SMALL,
        inputs={**SMALL.inputs, "grad_expanded_x": large},
        outputs={"grad_x": Tensor((2, LISTED_ELEMENTS), "float32")},
    )
    assert frozen_now("wide", wide, "corpus").case.inputs["grad_expanded_x"].fill is not None


def test_freezing_anew_makes_another_version_and_leaves_other_operators_alone(
    tmp_path: Path,
) -> None:
    write_corpus(tmp_path, {NAME: some("one"), "other": []}, "now")
    first = read_corpus(tmp_path)
    assert write_corpus(tmp_path, {NAME: some("one", "two")}, "later") == 2
    second = read_corpus(tmp_path)
    assert first is not None
    assert second is not None
    assert second.version.startswith("2-")
    assert first.version[2:] != second.version[2:]
    assert Counter(map(len, second.cases.values())) == {2: 1, 0: 1}


def test_a_file_that_was_changed_is_refused_by_its_name(tmp_path: Path) -> None:
    write_corpus(tmp_path, {NAME: some("one")}, "now")
    path = tmp_path / f"{NAME}.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"one"', b'"two"'))
    with pytest.raises(UsageError, match=f"{NAME}.jsonl.*was changed since version 1 was frozen"):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 2}, "has schema 2; this version reads 1"),
        ({"files": {"../../etc/passwd": "x"}}, "names the operator '../../etc/passwd'"),
        ({"files": []}, "is none that was frozen"),
        ({"version": "1"}, "is none that was frozen"),
        ({"evil": 1}, "is none that was frozen"),
        ({"files": {"absent": "x"}}, "absent.jsonl.*cannot be read"),
    ],
)
def test_an_index_that_means_ill_is_refused(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    write_corpus(tmp_path, {NAME: some("one")}, "now")
    said = msgspec.json.decode((tmp_path / INDEX).read_bytes())
    (tmp_path / INDEX).write_bytes(msgspec.json.encode({**said, **change}))
    with pytest.raises(UsageError, match=words):
        read_corpus(tmp_path)


def test_without_an_index_there_is_no_corpus(tmp_path: Path) -> None:
    assert read_corpus(tmp_path) is None
    assert read_index(tmp_path / "nowhere") is None


def test_records_get_the_corpus_where_it_is_asked_for_and_tell_its_version() -> None:
    kept = attached((OPERATOR,), [], corpus=True)
    corpus = read_corpus(FOLDER)
    assert corpus is not None
    assert kept.corpus == corpus.version
    assert kept.operators[0].corpus == tuple(corpus.cases[NAME])
    without = attached((OPERATOR,), [], corpus=False)
    assert (without.corpus, without.operators[0].corpus) == (None, ())


def test_a_name_in_two_folders_is_refused(tmp_path: Path) -> None:
    corpus = read_corpus(FOLDER)
    assert corpus is not None
    name = corpus.cases[NAME][0].name
    write_corpus(tmp_path / CORPUS, {NAME: some(name)}, "now")
    with pytest.raises(UsageError, match="that another folder holds too"):
        attached((OPERATOR,), [tmp_path], corpus=True)


def test_a_case_of_a_mode_of_another_route_is_not_called_on_this_one() -> None:
    record = OPERATORS["moe_token_permute_with_ep"]
    (kept,) = attached((record,), [], corpus=True).operators
    called = {mode.name for mode in record.modes if "aclnn" in (mode.routes or ("aclnn",))}
    assert {one.case.mode for one in kept.corpus} > called
    assert {one.case.mode for one in on_route(kept, "aclnn").corpus} == called
