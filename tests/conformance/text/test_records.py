"""A record in a few lines, and what is wrong with one, in both languages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.catalogue import options, records
from conformance.catalogue.message import Said, row, within
from conformance.errors import UsageError, text_of
from conformance.record.operator import Mode, Support, Target
from conformance.record.torch_binding import Binding
from conformance.text.records import operator_lines
from tests.conformance.segment_sum import SUM, operator, refusal
from tests.snapshots import pinned

SNAPSHOTS = Path(__file__).parent / "snapshots"


def test_a_record_in_a_few_lines() -> None:
    record = operator(
        modes=(Mode("plain", SUM), Mode("inner", SUM, routes=("kernel",))),
        rejections=(refusal(), replace(refusal(), name="inner")),
        targets=(
            Target("Ascend910B", Support.SUPPORTED, SUM),
            Target("Ascend910_93", Support.REJECTED, SUM, modes=("plain",), status=161002),
        ),
    )
    bound = replace(record, torch_npu=Binding("npu_segment_sum", lambda case: {}, ("out",), (SUM,)))
    pinned(SNAPSHOTS / "operator.txt", row(operator_lines(bound), "\n"))


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            records.OF_ANOTHER(
                kind=records.EXAMPLE(), name="'README'", other="'a'", operator="'b'"
            ),
            "its example 'README' is a case of operator 'a'; it must be one of 'b'",
            "其示例 'README' 是算子 'a' 的用例，必须是 'b' 的用例",
        ),
        (
            text_of(UsageError(records.DIRECTORY(), "x", records.NO_FOLDER())),
            "operators directory is 'x': is no folder",
            "算子记录目录 为 'x'：不是目录",
        ),
        (
            text_of(UsageError("device", "npu", options.SIMULATOR(option="--kernels"))),
            "device is 'npu': --kernels needs the simulator",
            "device 为 'npu'：--kernels 需要模拟器",
        ),
    ],
)
def test_what_is_wrong_with_a_request(said: Said, english: str, chinese: str) -> None:
    assert said == english
    assert within(said, "zh") == chinese
