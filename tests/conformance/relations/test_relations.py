"""Relations: what axes mean, calls in another order, and what is said of a law that is broken."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from conformance.call.case import Tensor
from conformance.call.observation import Diagnostic, GuardDamage, Observation, Outcome
from conformance.failure.replay import Replay, judgement
from conformance.judge.agreement import ReferenceDisagreement
from conformance.judge.relate import related
from conformance.numerics.arithmetic import IEEE
from conformance.record.clause import Clause, SourceClass
from conformance.record.relation import Relation, difference
from conformance.relations.axes import Axes, on_lattice, shuffled, with_arrays
from conformance.relations.symmetries import any_order_of_terms, negation, symmetry
from conformance.values.fill import Fill
from tests.conformance.segment_sum import case, observe, operator, right, whole

AXES = Axes(
    {"x": ("row", "hidden"), "rows": ("token", "slot"), "y": ("token", "hidden")}, {"rows": "row"}
)
FLAT = Axes({"rows": ("token.slot",), "y": ("token", "hidden")})
RECORDS = {"segment_sum": operator()}
CLAUSE = Clause("two calls agree", "toy", SourceClass.INFERRED)


def honest(record, made):
    return observe(right(made))


def told(relation, made, device=honest):
    return related(relation, RECORDS, made, device)[1]


@pytest.mark.parametrize("axis", ["hidden", "token", "row"])
def test_a_right_kernel_keeps_every_symmetry(axis):
    verdict = told(symmetry(AXES, axis, sums=("y",)), whole())
    assert verdict.ok, verdict


def test_a_right_kernel_keeps_any_order_of_terms_and_the_other_sign():
    assert told(any_order_of_terms(AXES, "slot", sums=("y",)), whole()).ok
    assert told(negation(("x",), ("y",)), whole()).ok


def wrong(change):
    """A kernel whose sums are changed afterwards; ``change(case, y)`` does it in place."""

    def device(record, made):
        y = right(made).copy()
        change(made, y)
        return observe(y)

    return device


def last_column_lost(made, y):
    y[:, -1] = 0


def first_token_doubled(made, y):
    y[0] *= 2


def row_three_read_for_two(made, y):
    rows = made.arrays["rows"].copy()
    rows[rows == 2] = 3
    y[...] = right(with_arrays(made, {"rows": rows}))


def last_slot_lost(made, y):
    rows = made.arrays["rows"].copy()
    rows[:, -1] = -1
    y[...] = right(with_arrays(made, {"rows": rows}))


def negative_lost(made, y):
    np.maximum(y, 0, out=y)


@pytest.mark.parametrize(
    ("relation", "change"),
    [
        (symmetry(AXES, "hidden", sums=("y",)), last_column_lost),
        (symmetry(AXES, "token", sums=("y",)), first_token_doubled),
        (symmetry(AXES, "row", sums=("y",)), row_three_read_for_two),
        (any_order_of_terms(AXES, "slot", sums=("y",)), last_slot_lost),
        (negation(("x",), ("y",)), negative_lost),
    ],
    ids=lambda one: getattr(one, "name", getattr(one, "__name__", "")),
)
def test_a_mistake_breaks_the_relation_that_sees_it(relation, change):
    verdict = told(relation, whole(), wrong(change))
    assert not verdict.ok
    assert f"segment_sum, plain, float16: {relation.name} does not hold: " in verdict.headline
    assert "elements of y differ: y[" in verdict.headline
    assert verdict.clause is relation.clause
    assert "Case(segment_sum" in str(verdict.subject)


def test_a_rejected_call_is_held_against_a_record_that_invents_its_outputs_first():
    def rejects(record, made):
        return Observation(Outcome.REJECTED, 161002, "aclnnSegmentSumGetWorkspaceSize")

    law = negation(("x",), ("y",))
    assert not told(law, whole(), rejects).ok
    made = whole()
    invented = replace(made, outputs={"y": Tensor((5, 36), "float16")})
    with pytest.raises(ReferenceDisagreement, match=r"the case has \[5, 36\]"):
        told(law, invented, rejects)


def test_sizes_of_flattened_axes_follow_from_the_others():
    made = case(np.zeros((4, 3)), [[0, 1, -1], [2, 3, 3]])
    flat = replace(made, inputs={**made.inputs, "rows": Tensor((6,), "int32")})
    assert AXES.sizes(made) == {"row": 4, "hidden": 3, "token": 2, "slot": 3}
    assert FLAT.sizes(flat) == {"token": 2, "hidden": 3, "slot": 3}


def test_another_order_moves_elements_and_the_numbers_that_name_them():
    made = case([[1.0], [2.0], [3.0]], [[0, 2], [1, -1]])
    order = np.array([2, 0, 1])
    moved = AXES.call(made, "row", order).arrays
    assert moved["x"].ravel().tolist() == [3, 1, 2]
    assert moved["rows"].tolist() == [[1, 0], [2, -1]], "-1 numbers nothing"
    swapped = AXES.call(made, "token", np.array([1, 0])).arrays
    assert swapped["rows"].tolist() == [[1, -1], [0, 2]]


def test_a_shuffle_moves_every_position():
    for size in range(2, 40):
        order = shuffled(size)
        assert sorted(order.tolist()) == list(range(size))
        assert (order != np.arange(size)).all()
        assert order.tolist() == shuffled(size).tolist()


def test_a_lattice_replaces_what_is_drawn_and_leaves_what_is_listed():
    drawn = whole()
    fill = Fill(("gaussian", "special"), seed=3, terms=4)
    drawn = replace(drawn, inputs={**drawn.inputs, "x": Tensor((6, 36), "float16", fill=fill)})
    made = on_lattice(drawn)
    assert made.inputs["x"].fill == Fill(("lattice",), seed=3, terms=4)
    assert made.inputs["rows"] == drawn.inputs["rows"]


def test_a_relation_has_nothing_to_say_of_a_row_sparse_case():
    made = whole()
    x = Tensor((6, 36), "float16", fill=Fill(("lattice",), seed=1), rows=(0, 1, 2, 3, 4, 5))
    verdict = told(symmetry(AXES, "token"), replace(made, inputs={**made.inputs, "x": x}))
    assert verdict.ok
    assert not verdict.judged


def test_zeros_and_nans_of_sums_are_one_value_each_and_those_of_copies_are_not():
    one, other = np.float16([0.0, np.nan, 1.0]), np.float16([-0.0, -np.nan, 1.0])
    assert not list(difference("y", one, other, "else", sums=True))
    (words,) = difference("y", one, other, "else")
    assert words.startswith("2 of 3 elements of y differ: y[0] is 0.0 (0x0000), else -0.0 (0x8000)")
    (words,) = difference("y", one, other[:2], "else")
    assert words == "y has shape (3,), else it has (2,)"


def test_a_call_that_fails_breaks_the_relation_with_its_reason():
    crashed = Observation(Outcome.CRASHED, message="killed")
    verdict = told(symmetry(AXES, "token"), whole(), lambda *_: crashed)
    assert not verdict.ok
    answers = iter([observe(right(whole())), crashed])
    verdict = told(symmetry(AXES, "token"), whole(), lambda *_: next(answers))
    assert not verdict.ok
    assert "of a further call, segment_sum plain (x [6, 36], rows [4, 3]), " in verdict.headline


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"guard_damage": (GuardDamage("y", 8, 2),)}, "2 bytes outside y were written"),
        ({"inputs_changed": ("x",)}, "inputs were changed: x"),
        ({"diagnostics": (Diagnostic("race", "error", "two blocks"),)}, "1 error, first race"),
    ],
)
def test_what_a_call_must_not_do_breaks_a_relation(fields, words):
    made = whole()
    verdict = told(symmetry(AXES, "token"), made, lambda _, one: observe(right(one), **fields))
    assert not verdict.ok
    assert words in verdict.headline


def test_an_output_that_is_not_written_breaks_a_relation():
    def device(record, made):
        return observe(right(made), unwritten={"y": 3})

    verdict = told(symmetry(AXES, "token"), whole(), device)
    assert "3 of 144 elements of y never written" in verdict.headline


def test_no_more_sentences_are_told_than_a_person_reads():
    many = Relation("many", CLAUSE, lambda *_: [f"sentence {n}." for n in range(9)])
    verdict = told(many, whole())
    assert verdict.headline.endswith("many does not hold: sentence 0.")
    assert verdict.findings == ("sentence 1.", "sentence 2.", "sentence 3.")


def test_a_case_replays_as_the_relation_of_its_mode():
    broken = Relation("law", CLAUSE, lambda *_: ["that of its mode"], modes=("plain",))
    others = Relation("law", CLAUSE, lambda *_: ["that of another"], modes=("other",))
    record = operator(relations=(others, broken))
    _, judge = judgement(Replay(whole(), "relation", "law"), {record.name: record})
    _, verdict = judge(SimpleNamespace(run=honest), IEEE)
    assert "law does not hold: that of its mode" in verdict.headline


def test_a_far_relation_is_asked_of_row_sparse_cases():
    sparse = replace(whole().inputs["x"], values=(0,) * 72, rows=(0, 5))
    made = replace(whole(), inputs={**whole().inputs, "x": sparse})
    assert Relation("near", CLAUSE, lambda *_: []).case(made) is None
    assert Relation("far", CLAUSE, lambda *_: [], far=True).case(made) is made
