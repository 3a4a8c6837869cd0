"""The text of a failure is a product: it is pinned, word for word."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from conformance import poison
from conformance.call.case import Machine
from conformance.call.observation import Diagnostic, EarlierAccess, Observation, Outcome
from conformance.catalogue.device import ENDED_BY_SIGNAL
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
from tests.snapshots import pinned

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"


def test_the_text_of_a_wrong_value():
    made = whole()
    y = right(made)
    x = made.arrays["x"]
    y[0:3, 32:] -= x[[4, 3, 5], 32:]
    y[1, 32:] = right(made)[1, 32:]
    verdict = judge(operator(), made, observe(y))
    pinned(SNAPSHOTS / "wrong_value_fp16.txt", verdict.text)


def test_the_text_of_a_wrong_row_in_address_coded_data():
    made = coded()
    rows = made.arrays["rows"].copy()
    rows[1, 1] = 5
    y = right(
        replace(made, inputs={**made.inputs, "rows": case(made.arrays["x"], rows).inputs["rows"]})
    )
    verdict = judge(operator(), made, observe(y))
    pinned(SNAPSHOTS / "wrong_row_decoded.txt", verdict.text)


def test_the_text_of_rows_that_one_core_leaves_out():
    made = replace(whole(), machine=Machine(2, 4096))
    y = right(made)
    y[2:] = right(made)[:2]
    verdict = judge(operator(), made, observe(y))
    pinned(SNAPSHOTS / "rows_of_one_core.txt", verdict.text)


def test_the_text_of_a_sum_in_storage():
    made = case(np.random.default_rng(1).standard_normal((6, 64)), ROWS)
    y = formula(made.arrays, {})["y"]
    verdict = judge(operator(), made, observe(y))
    pinned(SNAPSHOTS / "added_in_storage.txt", verdict.text)


def test_the_text_of_an_unwritten_tail():
    made = whole()
    y = right(made)
    bits(y)[:, 32:] = 0x7FA5
    verdict = judge(operator(), made, observe(y, unwritten={"y": 16}))
    pinned(SNAPSHOTS / "unwritten_tail.txt", verdict.text)


def test_the_text_of_what_lies_between_rows():
    made = whole()
    y = right(made)
    bits(y)[1, 32:] = poison.INPUT_GAPS
    pinned(SNAPSHOTS / "read_from_gaps.txt", judge(operator(), made, observe(y)).text)


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
    text = judge(operator(), whole(), observation).text
    pinned(SNAPSHOTS / "read_from_a_workspace.txt", text)


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
    text = judge(operator(), whole(), observation).text
    pinned(SNAPSHOTS / "index_that_nobody_wrote.txt", text)


def test_the_text_of_a_crash():
    made = whole()
    observation = Observation(
        Outcome.CRASHED,
        status=-11,
        phase="aclnnSegmentSum",
        message=ENDED_BY_SIGNAL(signal="SIGSEGV"),
        diagnostics=(FLAW,),
        seconds=0.31,
    )
    pinned(SNAPSHOTS / "crash.txt", judge(operator(), made, observation).text)


def test_the_text_of_a_call_that_a_diagnostic_ended():
    observation = Observation(
        Outcome.FAILED,
        status=507015,
        phase="aclrtSynchronizeStream",
        message="[gm-out-of-bounds] all that the device says of it, a second time",
        diagnostics=(FLAW,),
    )
    pinned(SNAPSHOTS / "ended_by_a_diagnostic.txt", judge(operator(), whole(), observation).text)


def test_the_text_of_a_wrong_status():
    observation = refused(status=161001, message="topK must be positive")
    pinned(SNAPSHOTS / "wrong_status.txt", judge_rejection(refusal(), observation).text)


def test_the_text_of_a_drift():
    made, y = drifting()
    pinned(SNAPSHOTS / "order_drift.txt", judge(operator(), made, observe(y)).text)
