"""Regressions: written from bundles, small enough to commit, refused where they are none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.call.case import Case
from conformance.errors import UsageError
from conformance.failure.replay import Replay
from conformance.frozen.attach import attached
from conformance.frozen.regressions import MOST_BYTES, digest_of, promote, read_regressions
from tests.conformance.failure.bundle.bundles import CASE

NAME = OPERATOR.name
LINKS = ("https://github.com/owner/kernels/issues/12",)


def promoted(folder: Path, name: str = "the last row is dropped", case: Case = CASE) -> Path:
    return promote(folder, Replay(case), name, "the third core began a row late", LINKS)


def test_a_promoted_call_is_read_back_and_judged_as_the_same_call(tmp_path: Path) -> None:
    path = promoted(tmp_path / "regressions")
    assert path == tmp_path / "regressions" / NAME / "the last row is dropped.json"
    assert path.stat().st_size < 4_000
    ((one,),) = read_regressions(tmp_path / "regressions").values()
    assert (one.name, one.kind) == ("the last row is dropped", "regression")
    assert one.why == "the third core began a row late"
    assert one.links == LINKS
    assert one.digest == one.case.digest == CASE.digest
    assert one.case.machine == CASE.machine


def test_records_get_their_regressions_whether_or_not_the_corpus_is_judged(
    tmp_path: Path,
) -> None:
    promoted(tmp_path / "regressions")
    for corpus in (True, False):
        kept = attached((OPERATOR,), [tmp_path], corpus=corpus)
        own = attached((OPERATOR,), [], corpus=corpus)
        names = [one.name for one in own.operators[0].regressions]
        assert [one.name for one in kept.operators[0].regressions] == [
            *names,
            "the last row is dropped",
        ]
        assert kept.regressions != own.regressions
    assert digest_of({}) is None


@pytest.mark.parametrize(
    "name", ["", "../x", "/etc/x", "a/b", ".hidden", "a\0b", "x" * 200, "<b>", "a\nb", "a\\b", "a."]
)
def test_a_name_is_no_path_and_no_markup(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="allowed: up to 120 letters"):
        promoted(tmp_path, name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "link",
    [
        "http://example.org/x",
        "javascript:alert(1)",
        "https://example.org/'x'",
        'https://example.org/"><script>',
        "https://example.org/a b",
        "https://example.org/\n",
        "https://" + "x" * 200,
        "",
    ],
)
def test_a_link_is_the_address_of_a_public_page_and_nothing_else(tmp_path: Path, link: str) -> None:
    with pytest.raises(UsageError, match="allowed: the https address of a public page"):
        promote(tmp_path, Replay(CASE), "a name", "", (link,))
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    path = promoted(tmp_path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="is taken"):
        promoted(tmp_path, case=replace(CASE, machine=None))
    assert path.read_bytes() == before


def test_a_call_that_is_too_large_to_commit_is_refused_with_its_size(tmp_path: Path) -> None:
    large = call("dropless", "float32", source=(40_000, 1), indices=tuple(range(40_000)), top_k=2)
    with pytest.raises(UsageError, match=r"bytes as a regression; allowed: up to 65,536"):
        promoted(tmp_path, case=large)
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("judged_as", ["rejection", "quarantine"])
def test_a_call_on_record_is_made_in_every_run_already(tmp_path: Path, judged_as: str) -> None:
    with pytest.raises(UsageError, match=f"is on record as a {judged_as}"):
        promote(tmp_path, Replay(CASE, judged_as, "top_k is 0"), "name", "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "another"}, "its name is 'another', which must be that of its file"),
        ({"name": "<script>"}, "its name '<script>' is none"),
        ({"digest": 7}, "Expected `str`"),
        ({"case": {}}, "missing required field"),
        ({"evil": True}, "unknown field"),
        ({"links": ["javascript:alert(1)"]}, r"its link 'javascript:alert\(1\)' is none"),
        ({"links": ["https://example.org/x"] * 21}, "it has too many links"),
    ],
)
def test_a_file_that_is_no_regression_is_refused_by_its_name(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    path = promoted(tmp_path)
    path.write_bytes(msgspec.json.encode({**msgspec.json.decode(path.read_bytes()), **change}))
    with pytest.raises(UsageError, match="the last row is dropped.json.*" + words):
        read_regressions(tmp_path)


def test_a_case_in_another_operator_s_folder_is_refused(tmp_path: Path) -> None:
    path = promoted(tmp_path)
    path.parent.rename(tmp_path / "moe_token_permute")
    with pytest.raises(UsageError, match=f"is a case of '{NAME}'"):
        read_regressions(tmp_path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = promoted(tmp_path)
    path.write_bytes(path.read_bytes() + b" " * MOST_BYTES)
    with pytest.raises(UsageError, match="at most 65,536 are read"):
        read_regressions(tmp_path)


def test_a_call_after_others_keeps_them(tmp_path: Path) -> None:
    promoted(tmp_path / "regressions", case=replace(CASE, before=(CASE, CASE)))
    ((one,),) = read_regressions(tmp_path / "regressions").values()
    assert [before.digest for before in one.case.before] == [CASE.digest] * 2
    assert one.case.before[0].machine == CASE.machine
    assert one.digest == CASE.digest
