"""The judge of calls that must be refused, and of documented calls."""

from dataclasses import replace

import pytest

from conformance.judge import judge_example, judge_rejection
from conformance.observation import Observation, Outcome
from conformance.operator import Example
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
        (refused(status=161001), "refused with status 161001, must be 161002"),
        (refused(outputs_untouched=False), "the outputs of a refused call were written to"),
        (refused(inputs_changed=("x",)), "inputs were changed"),
        (refused(diagnostics=(FLAW,)), "gm-out-of-bounds"),
        (
            Observation(Outcome.COMPLETED, outputs_untouched=True),
            "carried out, it must be refused with status 161002",
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


def printed(values):
    return Example(
        "two_rows", case([[1.0], [2.0]], [[0, 1], [1, 1]]), "segment_sum.md, Example", {"y": values}
    )


def test_a_documented_call_has_the_printed_values():
    example = printed((3.0, 4.0))
    assert judge_example(example, operator(), observe(right(example.case))).ok
    verdict = judge_example(printed((3.0, 5.0)), operator(), observe(right(example.case)))
    assert not verdict.ok
    assert "y[1, 0] is 0x4400 (4.0), printed is 0x4500 (5.0)" in str(verdict)


def test_a_documented_call_without_values_is_judged_as_any_call():
    example = replace(printed(()), expected=None)
    assert judge_example(example, operator(), observe(right(example.case))).ok
    assert not judge_example(example, operator(), observe(right(example.case) + 1)).ok


def test_a_printed_value_too_few_is_an_error_of_the_record():
    with pytest.raises(ValueError, match="1 values, must be 2"):
        judge_example(printed((3.0,)), operator(), observe(right(printed(()).case)))
