"""A sample of the kill matrix: our judge rejects what no legal order gives, and nothing else."""

import numpy as np
import pytest

from conformance.case import integer_view
from tests.kill_matrix.judges import OURS, Judge
from tests.kill_matrix.matrix import Cell, Counts, Trial, trials
from tests.kill_matrix.mistakes import MISTAKES, RIGHT, WRONG
from tests.kill_matrix.problem import DTYPES, SLOTS, every_tree, made, our_values
from tests.kill_matrix.table import grid, share, table

BY_NAME = {mistake.name: mistake for mistake in MISTAKES}
UNSEEN = {
    "float16": {"terms truncated to 11 bits"},
    "bfloat16": {"terms cut to bf16", "terms truncated to 11 bits"},
    "float32": {
        "accumulate in storage",
        "truncating cast",
        "cast, ties away from zero",
        "cast, rounded up",
    },
}
"""Mistakes that are none in a dtype: nothing is rounded there."""


@pytest.fixture(scope="module", params=DTYPES)
def judged(request):
    return request.param, list(trials(OURS, MISTAKES, request.param, 1.0, seed=1))


def test_what_the_promised_order_does_not_give_is_rejected_and_nothing_else(judged):
    _, found = judged
    ours = [trial for trial in found if trial.judge.promised]
    assert [t.mistake.name for t in ours if t.rejects != t.illegal] == []


def test_any_order_is_never_accused_and_coarse_mistakes_never_pass(judged):
    _, found = judged
    ours = [trial for trial in found if not trial.judge.promised]
    assert [t.mistake.name for t in ours if t.rejects and not t.illegal] == []
    missed = {t.mistake.name for t in ours if t.illegal and not t.rejects}
    assert missed <= {"one value 1 ulp up"}


def test_every_mistake_shows_in_our_data_unless_the_dtype_makes_it_none(judged):
    dtype, found = judged
    for promised in (True, False):
        ours = [t for t in found if t.judge.promised == promised and not t.mistake.right]
        assert {t.mistake.name for t in ours if not t.illegal} == UNSEEN[dtype]


def test_at_least_eighteen_mistakes_and_some_right_kernels_are_tried():
    assert len(WRONG) >= 18
    assert len({mistake.name for mistake in MISTAKES}) == len(WRONG) + len(RIGHT)


def test_all_orders_of_five_slots_are_tried():
    assert len(every_tree()) == 105
    problem = made("float32", "drop_pad", 0, 1.0, our_values)
    assert problem.outcomes.shape[0] == 105
    assert not problem.illegal(problem.outcomes[77], declared=False)
    assert problem.illegal(problem.outcomes[77] ^ 1, declared=False)


def test_the_case_that_is_judged_holds_the_data_of_the_problem():
    problem = made("bfloat16", "drop_pad", 3, 2.0**20, our_values)
    source = problem.case.arrays["grad_expanded_x"]
    bits = source.view(integer_view(source.dtype)).reshape(problem.x.shape)
    assert np.array_equal(bits, problem.x.view(bits.dtype))
    assert problem.case.attributes["top_k"] == SLOTS


def cell(judge, mistake, **counts):
    return Cell(judge, BY_NAME[mistake], "float16", 1.0, 4, Counts(trials=4, **counts))


def test_the_table_has_a_row_for_every_mistake_and_a_column_for_every_judge():
    first, second = OURS
    cells = [
        cell(first, "tail is zero", rejected=4, illegal=4),
        cell(second, "tail is zero", rejected=3, illegal=4, missed=1),
        cell(first, "terms cut to bf16"),
        cell(second, "terms cut to bf16", silent=4),
        cell(Judge("mute", first.rejects, first.values), "tail is zero", silent=4),
    ]
    lines = list(table(grid(cells), frozenset({first.name, second.name})))
    assert lines[:2] == [f"  1 {first.name}", f"  2 {second.name}"]
    assert lines[-2].split() == ["tail", "is", "zero", "100", "75"]
    assert lines[-1].split() == ["terms", "cut", "to", "bf16", "-", "-"]


def test_shares_are_of_what_could_be_rejected():
    assert share(Counts(trials=4, rejected=2), ours=False) == 0.5
    assert share(Counts(trials=4, rejected=2, illegal=2), ours=True) == 1.0
    assert share(Counts(trials=4), ours=True) is None
    assert share(Counts(trials=4, rejected=1, false_alarms=1), ours=True) == 1.0


def test_a_judge_that_says_nothing_neither_rejects_nor_accepts():
    counts = Counts()
    counts.add(Trial(OURS[0], WRONG[0], False, None))
    assert (counts.trials, counts.silent, counts.rejected, counts.missed) == (1, 1, 0, 0)
