"""What is said of devices, cards and packages, in both languages, across the pipe of a process."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.observation import Observation, Outcome
from conformance.catalogue import device, packages, versions
from conformance.catalogue.message import row, unpacked, within
from conformance.devices import messages
from conformance.devices.arithmetic_traits import SIMULATED, words_of
from conformance.devices.card_errors import in_words
from conformance.devices.cards import Card, Holder
from conformance.devices.device import DeviceProfile
from conformance.devices.packages.lookup import Candidate, order_of_lookup
from conformance.devices.packages.package import open_package
from conformance.devices.segment import Segment
from conformance.devices.torch_npu.pins import NO_METADATA, mended, torch_findings
from conformance.devices.traits import loosened_lines
from conformance.devices.unwritten import settled
from conformance.errors import EnvironmentFailure, text_of
from conformance.record.clause import source_read
from conformance.record.versions import Versions

CLAUSE = source_read("later ones write beyond y", "toy sources")
PROFILE = DeviceProfile(
    name="simulated Ascend910B1",
    kind="sim",
    soc="Ascend910B1",
    vector_cores=48,
    ub_bytes=None,
    cann="unknown",
    libraries={},
    **SIMULATED,
)


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            PROFILE.describe(),
            "simulated Ascend910B1, 48 vector cores",
            "模拟 Ascend910B1，48 个矢量核",
        ),
        (
            replace(PROFILE, name="Ascend910B1").describe(),
            "Ascend910B1, 48 vector cores",
            "Ascend910B1，48 个矢量核",
        ),
        (words_of(PROFILE.cast_mode), "round half to even", "就近舍入，中点取偶"),
        (
            in_words(507010),
            "507010, the task scheduler's heartbeat is lost",
            "507010，任务调度器心跳丢失",
        ),
        (in_words(507999), "507999", "507999"),
        (Card(0, 5).words, "npu:0 (card 5)", "npu:0（卡 5）"),
        (
            Holder(7, "u", "elsewhere").words,
            "process 7 on elsewhere of u",
            "进程 7（elsewhere）（用户 u）",
        ),
        (
            versions.OF_CALLS(
                operator="by_version",
                what="careful",
                why=versions.NOT_WITH(
                    cann=versions.KNOWN(version="9.1.0"),
                    versions=Versions(CLAUSE, after="8.1", until="8.5").in_words,
                    clause=versions.CLAUSE(text=CLAUSE.text, source=CLAUSE.source),
                ),
            ),
            "by_version, careful: not called with CANN 9.1.0, but later than CANN 8.1, up to 8.5:"
            " later ones write beyond y [toy sources]",
            "by_version，careful：不在 CANN 9.1.0 上调用（仅限 CANN 8.1 之后至 8.5）：later ones"
            " write beyond y [toy sources]",
        ),
        (
            row(loosened_lines([{"A": "1", "B": "2"}])),
            "checked less than by itself: A=1, B=2",
            "检查比模拟器自身宽松：A=1, B=2",
        ),
        (
            row(order_of_lookup([Candidate(Path("/l.so"), packages.CANN_OPERATORS(), "x")])),
            "1. /l.so (CANN's operators); passed over: x",
            "1. /l.so（CANN 的算子）；被略过：x",
        ),
        (
            settled(
                Observation(Outcome.COMPLETED),
                Observation(Outcome.TIMED_OUT, message=device.NO_ANSWER(seconds=2.256)),
            ).message,
            "in a second call, which found other bytes in its outputs: no answer within 2.26 s",
            "第二次调用（输出中预置了其他字节）：2.26 秒内没有应答",
        ),
    ],
)
def test_both_languages(said: str, english: str, chinese: str) -> None:
    assert said == english
    assert within(said, "zh") == chinese


def test_a_reason_keeps_both_languages_across_the_pipe() -> None:
    reading, writing = os.pipe()
    messages.send(writing, messages.Refused(device.NO_SUCH_NUMBER(number=7, count=2), usage=True))
    os.close(writing)
    told = messages.receive(reading, messages.REPLIES)
    os.close(reading)
    assert isinstance(told, messages.Refused)
    reason = unpacked(told.reason)
    assert reason == "device 7 does not exist: the runtime sees 2"
    assert within(reason, "zh") == "设备 7 不存在：运行时可见 2 个"


@pytest.mark.parametrize(
    ("noted", "english", "chinese"),
    [
        ((device.UPLOAD, "x"), "the upload of x", "x 的上传"),
        ((device.ALLOCATION, 512), "the allocation of 512 bytes of workspace", None),
        ((device.READING_BACK,), "the reading back", "读回"),
        (("aclnnX",), "aclnnX", "aclnnX"),
        (("torn\nname",), "torn", "torn"),
    ],
)
def test_what_a_process_was_at_keeps_both_languages(
    noted: tuple[object, ...], english: str, chinese: str | None
) -> None:
    segment = Segment.create()
    segment.note(*noted)  # type: ignore[arg-type]
    assert segment.noted() == english
    assert within(segment.noted(), "zh") == (chinese or "512 字节 workspace 的分配")
    segment.close()


def test_what_a_package_lacks(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure) as raised:
        open_package(tmp_path)
    assert str(raised.value).startswith("the package lacks the aclnn library: ")
    assert within(text_of(raised.value), "zh").startswith(f"算子包缺少 aclnn 库：{tmp_path}")


def test_what_mends_torch_npu(monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = torch_findings((3, 11), lambda name: "" if name == "torch_npu" else "1", bool)
    assert finding.advice is NO_METADATA
    monkeypatch.setattr(
        "conformance.devices.torch_npu.pins.torch_findings", lambda python: iter([finding])
    )
    told = mended(device.NO_SIMULATOR())
    assert told == f"{device.NO_SIMULATOR()}; {NO_METADATA}"
    assert within(told, "zh").startswith("libascendcl.so 不是模拟器：缺少 ascendsimConfigure；")
