"""However a call ends, its verdict says how, where, and what the device said last.

The endings of simulated kernels, with the line of their source, are in test_ill_kernels.py; a lost
card and a lost context in test_npu.py.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from conformance.devices.device import Device
from conformance.judge.calls import judge
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Index
from tests.conformance.devices.fakes import fake_case, fake_operator

SUMS = Index(Clause("y is x + addend.", "fake_ascend/opapi.c", SourceClass.DOCUMENT))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "FakeCrash",
            r"the call crashed after [\d.]+ s in aclnnFakeCrash \(status -11\): the process was"
            r" ended by SIGSEGV\nabout to crash",
        ),
        ("FakeExit", r"the call crashed .*: the process ended by itself with exit status 3"),
        ("FakeHang", r"the call timed out after [\d.]+ s in aclnnFakeHang: no answer within 1.5 s"),
        ("FakeEat", r"the call ran out of memory in aclnnFakeEat: .* more than 128 MiB beyond"),
        ("FakeBadAlloc", r"the call ran out of memory in aclnnFakeBadAlloc: an allocation failed"),
        ("FakeHugeWorkspace", r"the call ran out of memory in aclrtMalloc"),
        ("FakeKernelFault", r"the call failed in aclrtSynchronizeStream with status 507015: kern"),
        ("FakeFail", r"the call failed in aclnnFakeFail with status 361001: launch failed"),
        ("FakeWriteAfter", r"4 bytes outside y were written"),
        ("FakeWriteBefore", r"4 bytes outside y were written"),
        ("FakeWorkspace", r"1 bytes outside workspace were written"),
        ("FakeChangeInput", r"inputs were changed: x"),
        ("FakeUnwritten", r"3 of 6 elements of y were never written"),
    ],
)
def test_a_verdict_says_how_a_call_ended(fake_device: Device, name: str, told: str) -> None:
    operator = replace(fake_operator(name), contracts={"y": SUMS})
    case = fake_case()
    verdict = judge(operator, case, fake_device.run(operator, case))
    assert not verdict.ok
    assert re.search(told, verdict.headline), verdict.headline
    good = replace(fake_operator("FakeAdd"), contracts={"y": SUMS})
    assert judge(good, case, fake_device.run(good, case)).ok
