"""The record of MoeInitRoutingV2Grad says what its sources say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from cases.operators._moe_init_routing_v2_grad_cases import near_cases as cases
from cases.operators.moe_init_routing_v2_grad import DTYPES, OPERATOR, bin_tree, bins
from conformance.call.case import Case
from tests.cases.drawing import SHRUNK
from tests.definitions.moe_init_routing_v2_grad import moe_init_routing_v2_grad as loops

MODES = tuple(mode.name for mode in OPERATOR.modes)
FIRST_FOUND = settings(
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]


def tree(slots: int) -> object:
    """The declared order as nested pairs, for reading."""
    registers: list[object] = [f"x{t}" for t in range(slots)]
    for into, source in bin_tree(slots):
        registers[into] = (registers[into], registers[source])
    return registers[0]


def test_the_declared_order_reads_as_the_tiling_document_prints_it() -> None:
    assert tree(1) == "x0"
    assert tree(2) == ("x0", "x1")
    assert tree(3) == (("x0", "x2"), "x1")
    assert tree(4) == (("x0", "x1"), ("x2", "x3"))
    assert tree(5) == ((("x0", "x4"), "x1"), ("x2", "x3"))


def test_the_number_of_bins_follows_the_classes_of_top_k() -> None:
    classes = {1: 1, 3: 1, 4: 2, 7: 2, 8: 4, 15: 4, 16: 8, 31: 8, 32: 16, 63: 16, 64: 32, 127: 32}
    assert {k: bins(k) for k in classes} == classes
    assert (bins(128), bins(200), bins(512)) == (64, 64, 64)


@pytest.mark.parametrize("slots", [*range(1, 140), 200, 512])
def test_the_declared_order_adds_every_slot_exactly_once(slots: int) -> None:
    merges = bin_tree(slots)
    gone = [source for _, source in merges]
    assert sorted(gone) == list(range(1, slots))
    for step, (into, _) in enumerate(merges):
        assert into not in gone[:step]


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_drawn_cases_are_legal_calls_and_the_reference_agrees_with_plain_loops(
    mode: str, dtype: str
) -> None:
    @settings(max_examples=25, database=None, derandomize=True, deadline=None)
    @given(case=cases(mode, dtype))
    def check(case: Case) -> None:
        indices = case.arrays["expanded_row_idx"]
        grad = case.arrays["grad_expanded_x"]
        if grad.size > 2000:
            return
        rows = np.prod(grad.shape[:-1])
        lowest = -1 if mode == "drop_pad" else 0
        assert indices.min() >= lowest
        assert mode == "active" or indices.max(initial=-1) < rows
        exact = np.arange(1, grad.size + 1).reshape(grad.shape)
        expected = loops(exact, indices, **case.attributes)
        actual = OPERATOR.formula(
            {"grad_expanded_x": exact, "expanded_row_idx": indices}, case.attributes
        )["grad_x"]
        assert actual.tolist() == expected

    check()


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_the_formula_terms_and_loops_give_the_same_sum_of_fractions(mode: str, dtype: str) -> None:
    case = find(
        cases(mode, dtype),
        lambda drawn: (
            drawn.inputs["grad_expanded_x"].shape[-1] > 1
            and len(set(drawn.arrays["expanded_row_idx"].tolist())) > 2
        ),
        settings=FIRST_FOUND,
    )
    grad = case.arrays["grad_expanded_x"]
    exact = np.array([Fraction(i, 7) for i in range(grad.size)], object).reshape(grad.shape)
    contract = OPERATOR.contracts["grad_x"]
    rows = contract.terms(case.arrays, case.attributes).rows
    source = exact.reshape(-1, grad.shape[-1])
    by_terms = [
        [sum(source[row, c] for row in token if row >= 0) for c in range(grad.shape[-1])]
        for token in rows
    ]
    assert by_terms == loops(exact, case.arrays["expanded_row_idx"], **case.attributes)


def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine() -> None:
    smallest = find(cases("drop_pad", "float16"), lambda case: True, settings=SHRUNK)
    assert smallest.inputs["grad_expanded_x"].shape == (1, 1, 1)
    assert smallest.inputs["expanded_row_idx"].values == (0,)
    assert smallest.machine is not None
    assert (smallest.machine.cores, smallest.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_meets_dropped_and_kept_slots_that_its_documents_describe(mode: str) -> None:
    wanted = {
        "dropless": lambda idx, rows: len(set(idx)) == len(idx) > 3 and idx != sorted(idx),
        "active": lambda idx, rows: max(idx) >= rows > 1 and rows in idx,
        "drop_pad": lambda idx, rows: idx[0] == -1 and max(idx) > 0,
    }[mode]

    def shows(case: Case) -> bool:
        rows = int(np.prod(case.inputs["grad_expanded_x"].shape[:-1]))
        return wanted(case.arrays["expanded_row_idx"].tolist(), rows)

    assert shows(find(cases(mode, "float32"), shows, settings=FIRST_FOUND))


@given(st.sampled_from([example.name for example in OPERATOR.examples]))
def test_the_documented_examples_have_the_documented_output_shape(name: str) -> None:
    case = next(example.case for example in OPERATOR.examples if example.name == name)
    tokens = case.inputs["expanded_row_idx"].shape[0] // case.attributes["top_k"]
    assert case.outputs["grad_x"].shape == (tokens, case.inputs["grad_expanded_x"].shape[-1])


def test_the_readme_example_is_written_with_the_bits_of_its_decimals() -> None:
    readme = OPERATOR.examples[0]
    assert readme.case.arrays["grad_expanded_x"][:, 0].tolist() == pytest.approx(
        [0.1, 0.3, 0.2, 0.4]
    )
    first = np.float32(0.2) + np.float32(0.1)
    assert readme.expected is not None
    assert np.float32(readme.expected["grad_x"][0]) == first
