"""The record of MoeTokenPermuteWithEp says what its sources say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings

from cases.operators.moe_token_permute_with_ep import OPERATOR, cases
from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.devices.call import call_of
from conformance.judge.calls import judge
from conformance.judge.copies import as_integers
from conformance.judge.legality import check_call, check_shape_and_data
from conformance.record.clause import SourceClass
from conformance.record.operator import AttributeParameter
from conformance.suite.on_route import on_route
from tests.cases.drawing import FEW
from tests.definitions.moe_token_permute_with_ep import moe_token_permute_with_ep as loops
from tests.shrinking import ENDS_EARLY, MOST_INDICES
from tests.slow import slow_but

MODES = tuple(mode.name for mode in OPERATOR.modes)
CELLS = [(mode, dtype) for mode in MODES for dtype in OPERATOR.dtypes]
OF_THE_DOCUMENT = ("full", "head", "tail", "middle", "padded")
"""Modes in which the document's equations say everything."""

SHRUNK = settings(database=None, derandomize=True)
FIRST_FOUND = settings(FEW, phases=[Phase.generate], max_examples=2000)


def right(case: Case) -> Observation:
    """What a device answers that does all that is asked, and nothing where nothing is."""
    expected = OPERATOR.formula(as_integers(case.arrays, None), case.attributes)
    outputs = {}
    for name, tensor in case.outputs.items():
        seen = tensor.materialize()
        stored = seen if seen.dtype.kind == "i" else seen.view(f"u{seen.dtype.itemsize}")
        stored[...] = expected[name]
        outputs[name] = seen
    return Observation(Outcome.COMPLETED, outputs=outputs, unwritten=dict.fromkeys(outputs, 0))


def by_loops(case: Case) -> dict[str, list[Any]]:
    """The outputs in plain loops, on tokens and probabilities that are all different integers."""
    tokens = np.arange(case.inputs["tokens"].size).reshape(case.inputs["tokens"].shape)
    attributes = {**case.attributes, "padded_mode": bool(case.attributes["padded_mode"])}
    probs = None
    if "probs" in case.inputs and case.mode != "padded":
        probs = -1 - np.arange(case.inputs["probs"].size).reshape(case.inputs["probs"].shape)
    return loops(tokens, case.arrays["indices"], probs, **attributes)


@pytest.mark.parametrize(("mode", "dtype"), slow_but(CELLS[::4], CELLS))
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def check(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        if case.inputs["tokens"].rows is None:
            verdict = judge(OPERATOR, case, right(case))
            assert verdict.ok, verdict

    check()


@pytest.mark.parametrize("mode", OF_THE_DOCUMENT)
def test_where_the_document_speaks_plain_loops_say_the_same(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float32", small=True))
    def check(case: Case) -> None:
        if case.inputs["tokens"].rows is not None:
            return
        exact = np.arange(case.inputs["tokens"].size).reshape(case.inputs["tokens"].shape)
        inputs = {"tokens": exact, "indices": case.arrays["indices"]}
        if "probs" in case.inputs and mode != "padded":
            shape = case.inputs["probs"].shape
            inputs["probs"] = -1 - np.arange(case.inputs["probs"].size).reshape(shape)
        found = OPERATOR.formula(inputs, case.attributes)
        for name, expected in by_loops(case).items():
            assert found[name].tolist() == expected

    check()


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in OF_THE_DOCUMENT])
def test_elsewhere_the_clause_does_not_claim_to_be_the_document_s_equation(mode: str) -> None:
    clause = next(one.clause for one in OPERATOR.modes if one.name == mode)
    stated = clause.source_class is SourceClass.DOCUMENT
    assert not stated or "equations" not in clause.source


def test_the_printed_example_is_the_one_by_hand() -> None:
    printed = OPERATOR.examples[0]
    assert printed.case.attributes == {
        "rank_range": (1, 5),
        "num_out_tokens": 6,
        "padded_mode": 0,
    }
    assert printed.case.arrays["indices"].tolist() == [[1, 2], [3, 1], [2, 3]]
    assert printed.expected is not None
    assert printed.expected["sorted_indices"] == (0, 2, 4, 1, 3, 5)
    assert printed.expected["permute_probs"] == pytest.approx((0.2, 0.3, 0.5, 0.4), rel=2**-8)


@pytest.mark.parametrize("rejection", OPERATOR.rejections, ids=lambda rejection: rejection.name)
def test_a_refused_call_can_be_made_and_no_output_is_all_that_is_asked(rejection: Any) -> None:
    """A call whose outputs are all empty is not checked by the interface: nothing is to be done."""
    check_shape_and_data(rejection.case)
    call_of(OPERATOR, rejection.case)
    assert any(tensor.size for tensor in rejection.case.outputs.values())
    assert rejection.status in (161001, 161002, 561002)


def test_every_rejection_but_the_interface_s_own_is_no_legal_call() -> None:
    lawful = set()
    for rejection in OPERATOR.rejections:
        try:
            check_call(rejection.case, OPERATOR)
            OPERATOR.formula(rejection.case.arrays, rejection.case.attributes)
        except (ValueError, TypeError):
            continue
        expected = OPERATOR.formula(rejection.case.arrays, rejection.case.attributes)
        shapes = {name: expected[name].shape for name in rejection.case.outputs}
        if shapes == {name: tensor.shape for name, tensor in rejection.case.outputs.items()}:
            lawful.add(rejection.name)
    assert lawful == {
        "slot is 513, middle",
        "2^24 - 1 slots",
        "tokens of one axis, and their copies",  # which the output's rank alone rules out
        "padded, more tokens than an int32 names",  # whatever the indices are: they are not seen
        "permute_probs is null",
    }


def test_parameters_stand_in_the_order_of_the_interface() -> None:
    assert [parameter.acl_name for parameter in OPERATOR.parameters] == [
        "tokens",
        "indices",
        "probsOptional",
        "rangeOptional",
        "numOutTokens",
        "paddedMode",
        "permuteTokensOut",
        "sortedIndicesOut",
        "permuteProbsOut",
    ]
    kinds = [p.ctype for p in OPERATOR.parameters if isinstance(p, AttributeParameter)]
    assert kinds == ["int array", "int64", "bool"]


def test_what_cann_refuses_or_leaves_open_is_not_called_on_its_route() -> None:
    outer = on_route(OPERATOR, "aclnn")
    assert {mode.name for mode in OPERATOR.modes} - {mode.name for mode in outer.modes} == {
        "padded",
        "num_out_tokens",
    }
    inner = {rejection.name for rejection in on_route(OPERATOR, "kernel").rejections}
    assert {r.name for r in outer.rejections} - inner == {
        "paddedMode is true",
        "numOutTokens is -1, 4 rows",
        "numOutTokens is 7 of 6, 7 rows",
    }


SMALLEST = {"head": 2, "tail": 2, "middle": 3, "reversed": 2}


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_the_fewest_slots_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.inputs["tokens"].shape == (SMALLEST.get(mode, 1), 1)
    assert "probs" not in case.inputs
    assert case.inputs["tokens"].fill is not None
    assert case.inputs["tokens"].fill.stripes == ("lattice",)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


def test_a_mistake_in_the_order_of_equal_keys_shrinks_to_two_slots() -> None:
    """Were the later of two equal keys put first."""

    def wrong(case: Case) -> bool:
        flat = case.arrays["indices"].reshape(-1)
        unstable = np.argsort(np.lexsort((-np.arange(flat.size), flat)))
        return bool((unstable != right(case).outputs["sorted_indices"]).any())

    case = find(cases("full", "float32", small=True), wrong, settings=SHRUNK)
    assert case.inputs["indices"].size == 2
    assert case.inputs["tokens"].shape[-1] == 1


def small(case: Case) -> bool:
    return case.inputs["indices"].size <= MOST_INDICES


def test_ranks_that_are_their_own_inverse_do_not_hide_an_inverse() -> None:
    """Were the sorting permutation returned in place of the ranks."""

    def wrong(case: Case) -> bool:
        flat = case.arrays["indices"].reshape(-1)
        inverse = np.argsort(flat, kind="stable")
        return bool((inverse != right(case).outputs["sorted_indices"]).any())

    case = find(cases("full", "float32", small=True), wrong, settings=SHRUNK)
    assert case.inputs["indices"].size == 3 or (ENDS_EARLY and small(case))


@pytest.mark.parametrize("wanted", ["absent", "given"])
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_is_drawn_with_and_without_probabilities(mode: str, wanted: str) -> None:
    def shows(case: Case) -> bool:
        both = {"probs" in case.inputs, "permute_probs" in case.outputs}
        assert len(both) == 1
        return both == {wanted == "given"}

    find(cases(mode, "float16"), shows, settings=FIRST_FOUND)


def test_calls_in_quarantine_are_calls_whose_tensors_hold_all_that_is_read_and_written() -> None:
    for one in OPERATOR.quarantine:
        check_shape_and_data(one.case)
        call_of(OPERATOR, one.case)
        rows = OPERATOR.formula(one.case.arrays, one.case.attributes)["permute_tokens"].shape[0]
        assert one.case.outputs["permute_tokens"].shape[0] == rows, one.name
    (numbered,) = (one for one in OPERATOR.quarantine if one.routes)
    assert (numbered.case.mode, numbered.routes) == ("num_out_tokens", ("aclnn",))


def test_rows_that_no_rank_reaches_are_open_and_all_others_are_not() -> None:
    def open_rows(case: Case) -> int:
        mask = OPERATOR.contracts["permute_tokens"].specified(case.arrays, case.attributes)
        return int(np.count_nonzero(~mask))

    for mode in MODES:
        if mode != "reversed":
            with pytest.raises(Exception, match="No examples"):
                find(cases(mode, "float16", small=True), lambda c: open_rows(c) > 0, settings=FEW)
    case = find(cases("reversed", "float16", small=True), lambda c: 0 < open_rows(c) < 3)
    start, end = case.attributes["rank_range"]
    assert open_rows(case) == end
    assert case.outputs["permute_tokens"].shape[0] == case.inputs["indices"].size - start + end


def test_what_stays_open_is_not_judged_and_what_is_not_is() -> None:
    example = next(e for e in OPERATOR.examples if "backwards" in e.name)
    seen = right(example.case)
    seen.outputs["permute_tokens"][...] = 77
    seen.outputs["permute_probs"][...] = 77
    assert judge(OPERATOR, example.case, seen).ok
    seen.outputs["sorted_indices"][0] += 1
    assert not judge(OPERATOR, example.case, seen).ok
    room = next(e for e in OPERATOR.examples if e.name.startswith("room"))
    seen = right(room.case)
    seen.outputs["permute_probs"][...] = np.nan
    assert judge(OPERATOR, room.case, seen).ok
    seen.outputs["permute_tokens"][2, 3] = 0
    assert "permute_tokens[2, 3]" in str(judge(OPERATOR, room.case, seen))


def test_far_cases_name_tokens_beyond_the_reach_of_32_bits() -> None:
    far = find(
        cases("padded", "float32"),
        lambda case: case.inputs["tokens"].rows is not None,
        settings=FIRST_FOUND,
    )
    tokens = far.inputs["tokens"]
    assert tokens.size > 2**31
    assert far.arrays["indices"].max() == tokens.shape[0] - 1
    near_edge = [e for e in OPERATOR.examples if "beyond" in e.name]
    assert [e.case.inputs["tokens"].size > 2**32 for e in near_edge].count(True) == 3
