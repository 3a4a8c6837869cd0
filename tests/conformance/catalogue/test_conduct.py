"""What a call did with the device, in both languages."""

from __future__ import annotations

import pytest

from conformance.call.findings import call_findings
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import conduct as say
from conformance.catalogue.message import within
from conformance.devices.forbidden import left_behind, told


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            say.NO_LAUNCH(outputs=("y", "z")),
            "the call launched no kernel, and filled and copied nothing on the device, though y, z"
            " must be written",
            "该调用未启动 Kernel，也未在设备上填充或拷贝，而 y、z 必须写入",
        ),
        (
            say.WRITTEN_EARLY(phase="aclnnSlyGetWorkspaceSize", outputs=("y",)),
            "aclnnSlyGetWorkspaceSize wrote to y",
            "aclnnSlyGetWorkspaceSize 写入了 y",
        ),
        (
            say.TASK_LEFT(count=1),
            "1 task waits in a stream that is not the call's, and nothing orders that before what"
            " follows the call",
            "1 个任务留在非本次调用的流中，与调用之后的任务没有先后约束",
        ),
        (
            say.TASK_LEFT(count=2),
            "2 tasks wait in a stream that is not the call's, and nothing orders that before what"
            " follows the call",
            "2 个任务留在非本次调用的流中，与调用之后的任务没有先后约束",
        ),
        (
            say.STATUS_DROPPED(what="aclrtMalloc", status=207001, reason="no memory"),
            "aclrtMalloc answered 207001, and the call 0: no memory",
            "aclrtMalloc 返回 207001，而调用返回 0：no memory",
        ),
    ],
)
def test_what_a_call_did_is_told_in_both_languages(said: str, english: str, chinese: str) -> None:
    assert (said, within(said, "zh")) == (english, chinese)


def test_a_diagnostic_of_a_call_has_its_advice_in_both_languages() -> None:
    seen = Observation(Outcome.COMPLETED, diagnostics=told(left_behind(64), own=True))
    (finding,) = call_findings(seen)
    assert within(finding, "zh") == (
        "错误 memory-left：每次这样的调用都遗留 64 字节未释放的设备内存\n"
        "  建议：调用申请的内存请在第二阶段释放，或留给后续调用使用。"
    )
