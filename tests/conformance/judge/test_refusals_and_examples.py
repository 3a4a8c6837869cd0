"""The judge of calls that must be rejected, and of documented calls."""

from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Tensor
from conformance.call.observation import UNTOLD, Observation, Outcome
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.rejections import judge_rejection
from conformance.record.contract import Index
from conformance.record.operator import Example
from tests.conformance.segment_sum import (
    FLAW,
    RULE,
    case,
    observe,
    operator,
    refusal,
    refused,
    right,
)

DTYPES = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])


def test_a_refusal_with_the_right_status_is_accepted():
    assert judge_rejection(refusal(), refused()).ok


@pytest.mark.parametrize(
    ("observation", "said"),
    [
        (refused(status=161001), "rejected with status 161001, must be 161002"),
        (refused(outputs_untouched=False), "the outputs of a rejected call were written to"),
        (refused(inputs_changed=("x",)), "inputs were changed"),
        (
            refused(diagnostics=(FLAW,)),
            "negative_top_k: the machine reports 1 error, first gm-out-of-bounds.",
        ),
        (
            Observation(Outcome.COMPLETED, outputs_untouched=True),
            "carried out, it must be rejected with status 161002",
        ),
        (
            Observation(Outcome.FAILED, 161002, "aclnnSegmentSum", outputs_untouched=True),
            "failed in aclnnSegmentSum",
        ),
        (Observation(Outcome.CRASHED, 139, outputs_untouched=True), "crashed"),
    ],
)
def test_anything_else_than_the_demanded_refusal_fails(observation, said):
    verdict = judge_rejection(refusal(), observation)
    assert not verdict.ok
    assert said in verdict.headline
    assert verdict.clause is RULE


def test_any_exception_of_a_function_is_a_refusal():
    asked = replace(refusal(), status=UNTOLD, breaks=case([[1.0]], [[0]]))
    verdict = judge_rejection(asked, refused(status=UNTOLD))
    assert verdict.ok
    assert verdict.headline.endswith("rejected, as it must be.")
    for wrong in ({"outputs_untouched": False}, {"inputs_changed": ("x",)}):
        assert not judge_rejection(asked, refused(status=UNTOLD, **wrong), lenient=True).ok


@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.FAILED])
def test_a_function_that_carries_out_a_wrong_call_fails_unless_that_is_let_pass(outcome):
    asked = replace(refusal(), status=UNTOLD, breaks=case([[1.0]], [[0]]))
    for lenient in (False, True):
        verdict = judge_rejection(asked, Observation(outcome), lenient=lenient)
        assert verdict.ok is lenient
        assert verdict.headline.endswith("the call was carried out, it must raise an exception.")
    ended = judge_rejection(asked, Observation(Outcome.CRASHED, 139), lenient=True)
    assert not ended.ok
    assert ended.headline.endswith("(status 139), it must raise an exception.")


def test_a_call_that_the_installed_torch_has_no_dtype_for_is_not_judged():
    asked = replace(refusal(), status=UNTOLD, breaks=case([[1.0]], [[0]]))
    assert not judge_rejection(asked, Observation(Outcome.NOT_POSSIBLE)).judged


def printed(values):
    return Example(
        "two_rows", case([[1.0], [2.0]], [[0, 1], [1, 1]]), "segment_sum.md, Example", {"y": values}
    )


def test_a_documented_call_has_the_printed_values():
    example = printed((3.0, 4.0))
    assert judge_example(example, operator(), observe(right(example.case))).ok
    verdict = judge_example(printed((3.0, 5.0)), operator(), observe(right(example.case)))
    assert not verdict.ok
    assert "y[1, 0] is 0x4400 (4.0), due is 0x4500 (5.0)" in str(verdict)


def test_the_first_element_that_differs_from_the_document_is_named_with_how_many_there_are():
    y = right(printed(()).case)
    for values, said, seen, wanted in (
        ((2.0, 5.0), "2 of 2", "y[0, 0] is 0x4200 (3.0)", "0x4000 (2.0)"),
        ((3.0, 3.5), "1 of 2", "y[1, 0] is 0x4400 (4.0)", "0x4300 (3.5)"),
        ((3.5, 4.0), "1 of 2", "y[0, 0] is 0x4200 (3.0)", "0x4300 (3.5)"),
    ):
        verdict = judge_example(printed(values), operator(), observe(y))
        told = f"{said} elements of y are not what the document gives"
        assert verdict.headline == f"segment_sum, two_rows: {told}."
        assert verdict.findings == (f"{seen}, due is {wanted}",)


def test_a_documented_call_that_breaks_its_contract_too_is_told_of_both():
    y = right(printed(()).case) + 1
    verdict = judge_example(printed((3.0, 4.0)), operator(), observe(y))
    alone = judge(operator(), printed(()).case, observe(y))
    assert "are not what the document gives" in verdict.headline
    assert verdict.findings[1:] == (alone.headline, *alone.findings)
    assert verdict.outputs == alone.outputs
    assert verdict.clause.source == "segment_sum.md, Example"


def counting(seen, values):
    """A documented call with the outputs y, a sum, and n, an index, which the document prints."""
    example = printed(())
    outputs = {**example.case.outputs, "n": Tensor((2,), "int32")}
    made = replace(example.case, outputs=outputs)
    sums = operator().formula

    def formula(inputs, attributes):
        return {**sums(inputs, attributes), "n": np.array([7, -2])}

    record = operator(formula=formula, contracts={"y": operator().contracts["y"], "n": Index(RULE)})
    shown = replace(example, case=made, expected={"y": (3.0, 4.0), "n": values})
    return judge_example(shown, record, observe(seen["y"], outputs=seen, unwritten=WRITTEN))


WRITTEN = {"y": 0, "n": 0}
Y = np.array([[3.0], [4.0]], np.float16)


def test_printed_integers_are_compared_and_shown_as_such():
    counted = {"y": Y, "n": np.array([7, -2], np.int32)}
    assert counting(counted, (7.0, -2.0)).ok
    verdict = counting(counted, (7.0, -3.0))
    assert verdict.findings == ("n[1] is -2, due is -3",)


def test_an_output_of_another_shape_hides_nothing_of_the_next():
    verdict = counting({"y": Y[:1], "n": np.array([7, -2], np.int32)}, (6.0, -2.0))
    assert verdict.findings[0] == "n[0] is 7, due is 6"
    assert "output y came back as" in verdict.findings[1]


def test_a_documented_call_without_values_is_judged_as_any_call():
    example = replace(printed(()), expected=None)
    assert judge_example(example, operator(), observe(right(example.case))).ok
    assert not judge_example(example, operator(), observe(right(example.case) + 1)).ok


@pytest.mark.parametrize("values", [(), (3.0,), (3.0, 4.0, 5.0)], ids=len)
def test_a_printed_value_too_few_or_too_many_is_an_error_of_the_record(values):
    with pytest.raises(ValueError, match=f"{len(values)} values, must be 2"):
        judge_example(printed(values), operator(), observe(Y))
