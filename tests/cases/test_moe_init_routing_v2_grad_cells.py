"""Cells of MoeInitRoutingV2Grad: what is asked for is drawn, is legal, and shrinks."""

from __future__ import annotations

import random

import pytest
from hypothesis import Phase, find, given, settings

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.call.case import Case, Machine
from conformance.call.observation import Observation, Outcome
from conformance.draw.profiles import PROFILES
from conformance.judge.verdict import Verdict
from conformance.record.operator import Operator
from conformance.session.binding import OfRun, bind
from conformance.session.search_budget import SearchBudget
from conformance.session.template import record
from conformance.session.trial import Refused, Trial
from conformance.values.fill import Fill
from tests.cases.drawing import SHRUNK
from tests.conformance.record.test_cells import by_hand

MODES = tuple(mode.name for mode in OPERATOR.modes)


def test_where_all_slots_drop_in_active_mode_their_indices_lie_below_the_number_of_slots() -> None:
    assert OPERATOR.cells is not None
    cells = OPERATOR.cells("active", "float32").drawn({"dropped": "all", "slots": "1"})

    @settings(SHRUNK, max_examples=200, phases=[Phase.generate])
    @given(case=cells)
    def add_nothing(case: Case) -> None:
        terms = OPERATOR.contracts["grad_x"].terms(case.arrays, case.attributes)
        assert (terms.rows < 0).all()

    add_nothing()


@pytest.mark.slow
def test_the_rows_hold_every_pair_and_every_triple_of_the_first_axes() -> None:
    assert OPERATOR.cells is not None
    cells = OPERATOR.cells("drop_pad", "float16")

    def numbers(strength: int) -> list[list[int]]:
        rows = cells.rows(strength)
        return [[axis.levels.index(row[axis.name]) for axis in cells.axes] for row in rows]

    pairwise = numbers(2)
    for (first, second), pairs in by_hand(cells.feasible, 2).items():
        assert {(row[first], row[second]) for row in pairwise} == pairs
    triples = by_hand(cells.feasible, 3)[0, 1, 2]
    assert {tuple(row[:3]) for row in numbers(3)} == triples


@pytest.mark.parametrize("mode", MODES)
def test_only_few_pairs_do_not_go_together(mode: str) -> None:
    """Every level goes with some level of each other axis, so that no level is lost."""
    assert OPERATOR.cells is not None
    cells = OPERATOR.cells(mode, "float32")
    for axis in range(cells.feasible.ndim):
        others = tuple(other for other in range(cells.feasible.ndim) if other != axis)
        assert cells.feasible.any(axis=others).all()
    assert cells.feasible.mean() > 0.5


def smallest(mode: str, dtype: str = "float32", **levels: str) -> Case:
    assert OPERATOR.cells is not None
    return find(OPERATOR.cells(mode, dtype).drawn(levels), lambda case: True, settings=SHRUNK)


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_one_stripe_and_the_smallest_machine(
    mode: str,
) -> None:
    case = smallest(mode)
    gradient = case.inputs["grad_expanded_x"]
    assert case.outputs["grad_x"].shape == (1, 1)
    assert gradient.fill is not None
    assert gradient.fill.stripes == ("lattice",)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize(
    ("levels", "tokens", "hidden"),
    [
        ({"boundary": "tokens = cores + 1"}, 2, 1),
        ({"boundary": "hidden = tile + 1", "slots": "1"}, 1, 1024 // 20 // 8 * 8 + 1),
        ({"boundary": "hidden = vendor tile + 1", "slots": "128 and more"}, 1, 377),
        ({"routing": "duplicates", "boundary": "hidden = vendor tile", "slots": "1"}, 3, 16384),
        ({"cores": "many", "boundary": "tokens = cores"}, 40, 1),
        ({"boundary": "least UB", "slots": "128 and more"}, 1, 1),
    ],
)
def test_a_boundary_shrinks_to_its_smallest_sizes(
    levels: dict[str, str], tokens: int, hidden: int
) -> None:
    assert smallest("dropless", **levels).outputs["grad_x"].shape == (tokens, hidden)


@pytest.mark.parametrize(("mode", "lowest"), [("dropless", 0), ("active", 0), ("drop_pad", -1)])
@pytest.mark.parametrize("slots", ["1", "2-3", "4-7"])
def test_every_tuple_of_a_small_scope_stands_in_one_launch(
    mode: str, lowest: int, slots: str
) -> None:
    levels = {"routing": "every tuple", "slots": slots, "boundary": "hidden = tile"}
    case = smallest(mode, **levels)
    indices = case.arrays["expanded_row_idx"]
    top_k, values = case.attributes["top_k"], sorted(set(indices.tolist()))
    assert values[0] == lowest
    assert values == list(range(lowest, lowest + len(values)))
    tuples = {tuple(token) for token in indices.reshape(-1, top_k).tolist()}
    assert len(tuples) == len(values) ** top_k == indices.size // top_k
    assert len(values) == (3 if mode == "dropless" else 4)


def test_drawn_levels_are_spread_over_the_feasible_cells() -> None:
    assert OPERATOR.cells is not None
    cells = OPERATOR.cells("active", "float16")
    row = random.Random(0).choice(cells.rows(2))
    fixed = {"boundary": row["boundary"]}
    drawn: set[str] = set()

    @settings(SHRUNK, phases=[Phase.generate])
    @given(case=cells.drawn(fixed))
    def check(case: Case) -> None:
        shown = cells.of(case)
        assert row["boundary"] in shown["boundary"]
        drawn.update(shown["slots"])

    check()
    assert len(drawn) > 4


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
def test_a_mistake_on_one_boundary_of_one_class_is_met_and_told_at_its_smallest() -> None:
    """Where 128 slots or more meet a row of two tiles and one column: no free draw shows that."""
    assert OPERATOR.cells is not None
    cells = OPERATOR.cells("dropless", "float16")

    def body(operator: Operator, mode: str, dtype: str, case: Case) -> None:
        on_it = "hidden = two tiles + 1" in cells.of(case)["boundary"]
        wrong = on_it and case.attributes["top_k"] >= 128
        record(Verdict(not wrong, "x is wrong."), case, Observation(Outcome.COMPLETED))

    trial = Trial(lambda *_: None, SearchBudget(600))
    cell = {"operator": OPERATOR, "mode": "dropless", "dtype": "float16"}
    (covered,) = bind(body, cell, trial, OfRun(PROFILES["smoke"], seed=11), "x").covered
    with pytest.raises(Refused):
        covered(**cell)
    assert trial.smallest is not None
    case = trial.smallest.case
    assert case.machine == Machine(cores=1, ub_bytes=6144)
    assert (case.outputs["grad_x"].shape, case.attributes["top_k"]) == ((1, 33), 128)
    assert case.inputs["grad_expanded_x"].fill == Fill(("lattice",), seed=0, terms=128)
