"""``corpus freeze`` chooses the same small cases each time, and writes them as the next version."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from cases.operators.moe_token_permute_grad import OPERATOR as RIGHT
from conformance.cli.main import main
from conformance.frozen import select
from conformance.frozen.corpus import read_corpus
from conformance.frozen.select import MOST_BYTES, MOST_EDGES, MOST_ELEMENTS, chosen
from conformance.judge.legality import check_call
from conformance.record.frozen import Frozen, written

NARROW = replace(RIGHT, modes=RIGHT.modes[:1], dtypes=("float16",))
RECORD = """\
from dataclasses import replace

from cases.operators.moe_token_permute_grad import OPERATOR as RIGHT


def cells(mode, dtype):
    right = RIGHT.cells(mode, dtype)
    draws = lambda levels: right.cases(levels).map(lambda case: replace(case, operator="narrow"))
    return replace(right, cases=draws, edges=None)


OPERATOR = replace(
    RIGHT, name="narrow", modes=RIGHT.modes[:1], dtypes=("float16",), cells=cells, examples=(),
    rejections=(), quarantine=(), relations=(),
)
"""


@pytest.fixture(scope="module")
def frozen() -> list[Frozen]:
    return chosen(NARROW)


def test_the_same_cases_are_chosen_each_time(frozen: list[Frozen]) -> None:
    assert chosen(NARROW) == frozen


def test_chosen_cases_are_small_and_legal_and_have_names_of_their_own(
    frozen: list[Frozen],
) -> None:
    assert len({one.name for one in frozen}) == len(frozen) > MOST_EDGES
    for one in frozen:
        check_call(one.case, NARROW)
        tensors = (*one.case.inputs.values(), *one.case.outputs.values())
        assert sum(tensor.held_size for tensor in tensors) <= MOST_ELEMENTS
        # A name, a reason and an order of blocks come on top.
        assert len(msgspec.json.encode(written(one))) <= MOST_BYTES + 300


def test_edges_are_of_as_many_limits_as_there_are(frozen: list[Frozen]) -> None:
    edges = [one.why for one in frozen if " edge " in one.name]
    assert len(edges) == len({why.partition(" on ")[0] for why in edges}) == MOST_EDGES


def test_blocks_run_in_several_orders(frozen: list[Frozen]) -> None:
    orders = Counter(one.case.machine.block_order for one in frozen if one.case.machine)
    assert set(orders) == set(select.ORDERS)


def test_each_case_that_is_taken_for_pairs_shows_one_that_no_other_shows(
    frozen: list[Frozen], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fewer cases allowed, fewer pairs are shown: none of them is idle."""
    assert NARROW.cells is not None

    def shown(cases: list[Frozen]) -> int:
        pairs = set()
        for one in cases:
            levels = NARROW.cells("whole", "float16").of(one.case)  # type: ignore[misc]
            told = [(axis, level) for axis, some in levels.items() for level in some]
            pairs |= set(combinations(told, 2))
        return len(pairs)

    monkeypatch.setattr(select, "MOST_PAIRS", 8)
    fewer = chosen(NARROW)
    assert len(fewer) == 8 + MOST_EDGES
    assert shown(fewer) < shown(frozen)


def test_freezing_is_an_act_that_bumps_the_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "MOST_PAIRS", 5)
    (tmp_path / "narrow.py").write_text(RECORD)
    asked = ["--operators", str(tmp_path), "--operator", "narrow"]
    for version in (1, 2):
        assert main(["corpus", "freeze", *asked, "--json"]) == 0
        corpus = read_corpus(tmp_path / "corpus")
        assert corpus is not None
        assert corpus.version.startswith(f"{version}-")
        assert {name: len(cases) for name, cases in corpus.cases.items()} == {"narrow": 5}
        told = msgspec.json.decode(capsys.readouterr().out)
        assert told["corpora"][0]["version"] == version
    assert main(["corpus", "show", *asked]) == 0
    shown = capsys.readouterr().err
    assert f"{tmp_path / 'corpus'}: version {corpus.version}" in shown
    assert "narrow: 5 frozen cases, 0 regressions" in shown
