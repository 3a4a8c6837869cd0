"""The record of MoeInitRoutingV2 says what its sources say, and its cells are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators._moe_init_routing_v2_call import BEFORE, COUNTS, counts_shown
from cases.operators._moe_init_routing_v2_rows import PERMUTE, ROWS, experts_of, keys_with
from cases.operators._token_permute_sizes import one_core_slots
from cases.operators.moe_init_routing_v2 import OPERATOR, cases
from conformance.call.case import Case, Machine
from conformance.devices.call import call_of
from conformance.draw.keys import KEYS, keyed
from conformance.judge.calls import judge
from conformance.judge.legality import check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.contract import Index, Unspecified
from conformance.record.operator import Rejection
from tests.cases.drawing import FEW, SHRUNK, smallest
from tests.definitions.moe_init_routing_v2 import moe_init_routing_v2 as loops

MODES = tuple(mode.name for mode in OPERATOR.modes)
CELLS = [(mode, dtype) for mode in MODES for dtype in OPERATOR.dtypes]


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def check(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict

    check()


@pytest.mark.parametrize("mode", MODES)
def test_plain_loops_over_the_document_s_equations_say_the_same(mode: str) -> None:
    """Of experts from 0 on: they take no others."""

    @FEW
    @given(case=cases(mode, "float32", small=True))
    def check(case: Case) -> None:
        exact = np.arange(case.inputs["x"].size).reshape(case.inputs["x"].shape)
        experts = case.arrays["expert_idx"] - min(0, int(case.arrays["expert_idx"].min()))
        attributes = case.attributes
        found = OPERATOR.formula({"x": exact, "expert_idx": experts}, attributes)
        counted = mode == "drop_pad" or case.attributes[f"{COUNTS}_flag"] > 0
        expected = loops(
            exact,
            experts,
            active_num=attributes["active_num"],
            expert_capacity=attributes["expert_capacity"],
            expert_num=attributes["expert_num"] if counted else 0,
            drop_pad_mode=attributes["drop_pad_mode"],
            count_or_cumsum_flag=attributes["expert_tokens_count_or_cumsum_flag"],
            before_capacity_flag=bool(attributes["expert_tokens_before_capacity_flag"]),
        )
        assert {name: array.tolist() for name, array in found.items()} == expected

    check()


def test_examples_by_hand_show_every_mode_and_every_count() -> None:
    by_hand = [example.case for example in OPERATOR.examples if example.expected]
    assert {case.mode for case in by_hand} == set(MODES)
    assert {name for case in by_hand for name in counts_shown(case)} == {
        "absent",
        "cumsum",
        "count",
        "before",
        "cumsum, before",
        "count, before",
    }


@pytest.mark.parametrize("rejection", OPERATOR.rejections, ids=lambda rejection: rejection.name)
def test_a_refused_call_can_be_made_and_no_output_is_all_that_is_asked(
    rejection: Rejection,
) -> None:
    """A call whose outputs are all empty is not checked by the interface: nothing is to be done."""
    check_shape_and_data(rejection.case)
    call_of(OPERATOR, rejection.case)
    assert any(tensor.size for tensor in rejection.case.outputs.values())
    assert rejection.status in (161001, 161002, 561002)


def test_what_the_document_alone_forbids_is_in_quarantine() -> None:
    assert all(one.checked_by_cann for one in OPERATOR.rejections)
    (alone,) = (one for one in OPERATOR.quarantine if one.name == "a capacity of all tokens")
    assert alone.case.attributes["expert_capacity"] == alone.case.inputs["x"].shape[0]


def test_calls_in_quarantine_can_be_made() -> None:
    for one in OPERATOR.quarantine:
        check_shape_and_data(one.case)
        call_of(OPERATOR, one.case)
    assert len(OPERATOR.quarantine) == 5


@pytest.mark.parametrize("mode", MODES)
def test_experts_that_are_counted_or_have_places_lie_below_their_number(mode: str) -> None:
    """What a kernel does with others is undefined: it may write beyond its counts."""

    @FEW
    @given(case=cases(mode, "float16"))
    def check(case: Case) -> None:
        experts = case.arrays["expert_idx"]
        if mode == "drop_pad" or counts_shown(case) != ("absent",):
            assert 0 <= experts.min() <= experts.max() < case.attributes["expert_num"]
        if mode == "drop_pad":
            assert 0 < case.attributes["expert_capacity"] < case.inputs["x"].shape[0]

    check()


BOTH = ("cumsum, before", "count, before")


@pytest.mark.parametrize("counts", ["absent", "given", "cumsum", "count", *BOTH])
def test_counts_are_promised_where_a_flag_asks_for_them(counts: str) -> None:
    case = smallest(OPERATOR, "dropless", "float16", counts=counts)
    asked = counts not in ("absent", "given")
    promised = type(OPERATOR.contract(COUNTS, case)), type(OPERATOR.contract(BEFORE, case))
    assert promised == (Index if asked else Unspecified, Unspecified)
    assert (COUNTS in case.outputs) == (counts != "absent")
    assert (BEFORE in case.outputs) == (counts in ("given", *BOTH))


@pytest.mark.parametrize("counts", ["absent", "given", "before", *BOTH])
def test_with_drop_pad_counts_before_the_capacity_alone_are_promised(counts: str) -> None:
    case = smallest(OPERATOR, "drop_pad", "float16", counts=counts)
    asked = counts not in ("absent", "given")
    promised = type(OPERATOR.contract(COUNTS, case)), type(OPERATOR.contract(BEFORE, case))
    assert promised == (Unspecified, Index if asked else Unspecified)
    assert (COUNTS in case.outputs) == (counts in ("given", *BOTH))
    assert (BEFORE in case.outputs) == (counts != "absent")


@pytest.mark.parametrize("level", ROWS["drop_pad"])
@pytest.mark.parametrize("pattern", KEYS)
@pytest.mark.parametrize(("tokens", "top_k"), [(2, 1), (3, 1), (2, 4), (5, 3), (2, 512), (200, 1)])
def test_a_pattern_of_experts_shows_every_capacity_that_goes_with_it(
    level: str, pattern: str, tokens: int, top_k: int
) -> None:
    slots = tokens * top_k
    if not keys_with("drop_pad", pattern, level, "before") or (pattern == "cycle" and slots < 3):
        return
    for seed in range(12):
        keys = keyed(pattern, slots, np.random.default_rng(seed))
        case = PERMUTE.call(
            "drop_pad",
            "float16",
            tokens=(tokens, 1),
            top_k=top_k,
            indices=tuple(keys.tolist()),
            level=level,
            numbers=(seed, seed // 3),
        )
        assert level in PERMUTE.windows.shown(case)


def test_experts_of_more_slots_than_a_capacity_may_have_are_divided_in_order() -> None:
    keys = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    assert experts_of(keys, "none dropped", 3).tolist() == [0, 0, 1, 3, 3, 4, 4, 5]


@pytest.mark.parametrize(("mode", "tokens"), [("dropless", 1), ("active", 1), ("drop_pad", 2)])
def test_a_case_shrinks_to_the_fewest_slots_one_column_and_the_smallest_machine(
    mode: str, tokens: int
) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.inputs["x"].shape == (tokens, 1)
    assert case.inputs["expert_idx"].shape == (tokens, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize(
    ("mode", "levels", "tokens", "hidden"),
    [
        ("dropless", {"boundary": "slots = 33"}, 33, 1),
        ("dropless", {"boundary": "slots = one core + 1", "cores": "one"}, 513, 1),
        ("dropless", {"boundary": "hidden = vendor row"}, 1, 16376),
        ("active", {"boundary": "hidden = row + 1"}, 1, 1793),
        ("drop_pad", {"boundary": "hidden = row + 1"}, 2, 1793),
        ("drop_pad", {"boundary": "tokens = cores", "cores": "few"}, 2, 1),
    ],
)
def test_a_boundary_shrinks_to_its_smallest_sizes(
    mode: str, levels: dict[str, str], tokens: int, hidden: int
) -> None:
    case = smallest(OPERATOR, mode, "float32", **{"top_k": "1", **levels})
    assert case.inputs["x"].shape == (tokens, hidden)


def test_the_vendor_sorts_as_many_slots_on_one_core_as_its_host_says() -> None:
    core = PERMUTE.vendor.core_bytes
    slots = {
        product: {one_core_slots(Machine(cores, usable), core) for cores in (40, 48)}
        for product, usable in USABLE_UB_BYTES.items()
    }
    assert slots == {"Ascend910B": {6112}, "Ascend910_93": {6144}}
