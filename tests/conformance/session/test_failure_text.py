"""The text of a failure is a product: it is pinned, word for word."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from conformance import poison
from conformance.call.case import Machine
from conformance.call.observation import Diagnostic, EarlierAccess, Observation, Outcome
from conformance.judge.calls import judge
from conformance.judge.rejections import judge_rejection
from tests.conformance.segment_sum import (
    FLAW,
    ROWS,
    bits,
    case,
    coded,
    drifting,
    formula,
    observe,
    operator,
    refusal,
    refused,
    right,
    whole,
)

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"


def matches_snapshot(text, name):
    """Compare with the pinned text; UPDATE_SNAPSHOTS=1 rewrites it."""
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(text + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8") == text + "\n"


def test_the_text_of_a_wrong_value():
    made = whole()
    y = right(made)
    x = made.arrays["x"]
    y[0:3, 32:] -= x[[4, 3, 5], 32:]
    y[1, 32:] = right(made)[1, 32:]
    verdict = judge(operator(), made, observe(y))
    assert matches_snapshot(str(verdict), "wrong_value_fp16")


def test_the_text_of_a_wrong_row_in_address_coded_data():
    made = coded()
    rows = made.arrays["rows"].copy()
    rows[1, 1] = 5
    y = right(
        replace(made, inputs={**made.inputs, "rows": case(made.arrays["x"], rows).inputs["rows"]})
    )
    verdict = judge(operator(), made, observe(y))
    assert matches_snapshot(str(verdict), "wrong_row_decoded")


def test_the_text_of_rows_that_one_core_leaves_out():
    made = replace(whole(), machine=Machine(2, 4096))
    y = right(made)
    y[2:] = right(made)[:2]
    verdict = judge(operator(), made, observe(y))
    assert matches_snapshot(str(verdict), "rows_of_one_core")


def test_the_text_of_a_sum_in_storage():
    made = case(np.random.default_rng(1).standard_normal((6, 64)), ROWS)
    y = formula(made.arrays, {})["y"]
    verdict = judge(operator(), made, observe(y))
    assert matches_snapshot(str(verdict), "added_in_storage")


def test_the_text_of_an_unwritten_tail():
    made = whole()
    y = right(made)
    bits(y)[:, 32:] = 0x7FA5
    verdict = judge(operator(), made, observe(y, unwritten={"y": 16}))
    assert matches_snapshot(str(verdict), "unwritten_tail")


def test_the_text_of_what_lies_between_rows():
    made = whole()
    y = right(made)
    bits(y)[1, 32:] = poison.INPUT_GAPS
    assert matches_snapshot(str(judge(operator(), made, observe(y))), "read_from_gaps")


def test_the_text_of_bytes_that_a_workspace_held():
    copied = EarlierAccess("DataCopy", "segment_sum.cpp", 57, 3, "MTE2")
    found = Diagnostic(
        "uninitialised-store",
        "error",
        "DataCopy stores UB addresses 32 to 95 in an output, read from byte 0 of workspace, where"
        " nobody put a value: DataCopy in line 57 copied it",
        "Write a workspace before it is read, or zero it: nothing else does.",
        "segment_sum",
        "segment_sum.cpp",
        61,
        3,
        "MTE3",
        earlier=copied,
    )
    observation = Observation(
        Outcome.FAILED, 507015, "aclrtSynchronizeStream", diagnostics=(found,)
    )
    text = str(judge(operator(), whole(), observation))
    assert matches_snapshot(text, "read_from_a_workspace")


def test_the_text_of_an_index_that_nobody_wrote():
    message = (
        "DataCopy reads 64 bytes at offset 4294377462 of x, which has 256; 4294377462 is 2 times"
        " 0x7ffb7ffb, the pattern of an output that nobody wrote"
    )
    observation = Observation(
        Outcome.FAILED,
        507015,
        "aclrtSynchronizeStream",
        diagnostics=(replace(FLAW, message=message),),
    )
    text = str(judge(operator(), whole(), observation))
    assert matches_snapshot(text, "index_that_nobody_wrote")


def test_the_text_of_a_crash():
    made = whole()
    observation = Observation(
        Outcome.CRASHED,
        status=139,
        phase="aclnnSegmentSum",
        message="the device process died of signal 11",
        diagnostics=(FLAW,),
        seconds=0.31,
    )
    assert matches_snapshot(str(judge(operator(), made, observation)), "crash")


def test_the_text_of_a_call_that_a_diagnostic_ended():
    observation = Observation(
        Outcome.FAILED,
        status=507015,
        phase="aclrtSynchronizeStream",
        message="[gm-out-of-bounds] all that the device says of it, a second time",
        diagnostics=(FLAW,),
    )
    assert matches_snapshot(str(judge(operator(), whole(), observation)), "ended_by_a_diagnostic")


def test_the_text_of_a_wrong_status():
    observation = refused(status=161001, message="topK must be positive")
    assert matches_snapshot(str(judge_rejection(refusal(), observation)), "wrong_status")


def test_the_text_of_a_drift():
    made, y = drifting()
    assert matches_snapshot(str(judge(operator(), made, observe(y))), "order_drift")
