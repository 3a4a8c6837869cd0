"""Reading back: part by part, and large memory does not outlive its call."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import cast

import numpy as np
import pytest

from conformance.devices import placement
from conformance.devices.acl import Acl
from conformance.devices.guard_zones import GUARD_AFTER, GUARD_BEFORE
from conformance.devices.memory import KEPT, Memory
from conformance.devices.messages import Call, TensorArgument
from conformance.devices.placement import Findings, Placement
from conformance.devices.segment import Segment

COUNT = 1000
X = TensorArgument("x", "input", (COUNT,), "int8", 8192)
Y = TensorArgument("y", "output", (4,), "int8", 8192 + COUNT + GUARD_AFTER + GUARD_BEFORE)
CALL = Call("Copy", (X, Y), None, 1 << 16)


class Host:
    """Device memory that is the host's; ``held`` are the allocations by address."""

    def __init__(self) -> None:
        self.held: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self.most_read = 0

    def allocate(self, count: int) -> int:
        memory = ctypes.create_string_buffer(count)
        self.held[ctypes.addressof(memory)] = memory
        return ctypes.addressof(memory)

    def free(self, address: int) -> None:
        del self.held[address]

    def upload(self, device: int, host: int, count: int) -> None:
        ctypes.memmove(device, host, count)

    def download(self, host: int, device: int, count: int) -> None:
        self.most_read = max(self.most_read, count)
        ctypes.memmove(host, device, count)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def segment() -> Iterator[Segment]:
    segment = Segment.create()
    segment.bytes[X.offset : X.offset + COUNT] = np.arange(COUNT) % 251
    yield segment
    segment.close()


def found(host: Host, segment: Segment, at: int | None) -> Findings:
    """What is found after a call that changes one byte from the first element of x on."""
    placed = Placement(cast("Acl", host), segment)
    placed.send(CALL)
    if at is not None:
        ctypes.c_uint8.from_address(placed.addresses()[0][2] + at).value ^= 1
    findings = Findings()
    placed.look(CALL, findings)
    return findings


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "PART", 100)


def test_an_input_that_nobody_changed_is_as_it_was_sent(host: Host, segment: Segment) -> None:
    findings = found(host, segment, None)
    assert (findings.inputs_changed, findings.damage, findings.read_back) == ([], [], True)
    assert findings.poisoned == {"y": 4}
    assert host.most_read < COUNT + GUARD_BEFORE + GUARD_AFTER


@pytest.mark.parametrize("at", [0, 99, 100, 555, COUNT - 1])
def test_a_changed_byte_is_seen_in_whatever_part_it_lies(
    host: Host, segment: Segment, at: int
) -> None:
    findings = found(host, segment, at)
    assert findings.inputs_changed == ["x"]
    assert findings.damage == []


@pytest.mark.parametrize("at", [-GUARD_BEFORE, -1, COUNT, COUNT + GUARD_AFTER - 1])
def test_a_changed_byte_of_a_guard_is_damage_and_no_changed_input(
    host: Host, segment: Segment, at: int
) -> None:
    findings = found(host, segment, at)
    assert findings.inputs_changed == []
    assert [(one.buffer, one.offset, one.count) for one in findings.damage] == [("x", at, 1)]


def test_memory_up_to_a_size_is_kept_between_calls_and_larger_memory_is_not(host: Host) -> None:
    memory = Memory(cast("Acl", host))
    small, large = memory.at(0, 64), memory.at(1, KEPT + 1)
    memory.shrink()
    assert small in host.held
    assert large not in host.held
    assert memory.at(0, 64) == small
