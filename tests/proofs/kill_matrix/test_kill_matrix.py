"""A sample of the kill matrix: our judge rejects what no legal order gives, and nothing else."""

import numpy as np
import pytest

from conformance.call.case import integer_view
from tests.proofs.kill_matrix.judges import OURS, Judge, published
from tests.proofs.kill_matrix.matrix import Cell, Counts, Trial, trials
from tests.proofs.kill_matrix.mistakes import MISTAKES, RIGHT, WRONG
from tests.proofs.kill_matrix.problem import DTYPES, SCALES, SLOTS, every_tree, made, our_values
from tests.proofs.kill_matrix.table import grid, share, table

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


def test_what_no_order_of_the_contract_gives_is_rejected_and_nothing_else(judged):
    _, found = judged
    wrong = [(t.judge.name, t.mistake.name) for t in found if t.rejects != t.illegal]
    assert wrong == []


def test_every_mistake_shows_in_our_data_unless_the_dtype_makes_it_none(judged):
    dtype, found = judged
    for promised in (True, False):
        ours = [t for t in found if t.judge.promised == promised and not t.mistake.right]
        assert {t.mistake.name for t in ours if not t.illegal} == UNSEEN[dtype]


@pytest.mark.parametrize("name", ["NaN swallowed", "infinity clamped"])
def test_mistakes_with_special_values_meet_published_standards_on_data_that_has_some(name):
    judges = [j for j in published() if j.name in ("ecosystem-v2", "ttk-mixed", "ecosystem-v1")]
    found = [
        trial
        for seed in range(4)
        for trial in trials(judges, [BY_NAME[name]], "float16", 1.0, seed)
    ]
    for judge in judges:
        said = [trial.rejects for trial in found if trial.judge is judge]
        assert True in said
        assert False not in said


def test_a_standard_is_not_asked_of_a_mistake_that_is_none_in_its_data():
    judges = [judge for judge in published() if judge.name == "ttk-mixed"]
    (trial,) = trials(judges, [BY_NAME["terms cut to bf16"]], "bfloat16", 1.0, 0)
    assert trial.rejects is None
    (trial,) = trials(judges, [RIGHT[0]], "bfloat16", 1.0, 0)
    assert trial.rejects is False


def test_prescribed_data_keeps_its_own_scale():
    (judge,) = (judge for judge in published() if judge.name == "ecosystem-v2")
    drawn = [made("bfloat16", "dropless", 1, scale, judge.values).x for scale in SCALES["bfloat16"]]
    assert all(1 < np.nanmax(np.abs(x.astype(float))) < 20 for x in drawn)
    assert not np.array_equal(drawn[0], drawn[2])


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
    assert share(Counts(trials=4, rejected=1, silent=2), ours=False) == 0.5
    assert share(Counts(trials=4), ours=True) is None
    assert share(Counts(trials=4, rejected=1, false_alarms=1), ours=True) == 1.0


def test_a_judge_that_says_nothing_neither_rejects_nor_accepts():
    counts = Counts()
    counts.add(Trial(OURS[0], WRONG[0], False, None))
    assert (counts.trials, counts.silent, counts.rejected, counts.missed) == (1, 1, 0, 0)
