"""Who holds the settings and the findings is the only one to change and to take them."""

from __future__ import annotations

import ctypes

import pytest

from tests.simulator.simulated_machine import INVALID_PARAMETER, OK, SimulatedMachine

LAST_WORDS = 2048
"""The least that ascendsimLastWords takes, in bytes."""

WORDS = ctypes.create_string_buffer(LAST_WORDS)
KEY, OTHER = ctypes.c_uint64(1 << 40), ctypes.c_uint64(3)


def test_held_settings_and_findings_are_let_go_by_the_key_alone(
    strict_machine: SimulatedMachine,
) -> None:
    c = strict_machine.c
    settings = (
        lambda: c.ascendsimConfigure(b"", 1, ctypes.c_uint64(0)),
        lambda: c.ascendsimBlockOrder(b"reverse"),
        lambda: c.ascendsimFunctions(b"high"),
        lambda: c.ascendsimPipes(b"late"),
        lambda: c.ascendsimSyncLevel(b"none"),
        lambda: c.ascendsimLastWords(WORDS, ctypes.c_uint64(LAST_WORDS)),
    )
    assert c.ascendsimHold(KEY, 1) == OK
    try:
        assert [setting() for setting in settings] == [INVALID_PARAMETER] * len(settings)
        assert strict_machine.run_fault("writes_one_place_from_every_block", blocks=2)[1] == []
        assert c.ascendsimHold(OTHER, 0) == INVALID_PARAMETER
        assert c.ascendsimSyncLevel(b"none") == INVALID_PARAMETER
    finally:
        assert c.ascendsimHold(KEY, 0) == OK
    [found] = strict_machine.take_diagnostics()
    assert (found["code"], found["block"]) == ("race", 1)
    assert [setting() for setting in settings] == [OK] * len(settings)


@pytest.mark.parametrize("key", [0, 3])
def test_a_hold_needs_the_key_of_the_first(strict_machine: SimulatedMachine, key: int) -> None:
    assert strict_machine.c.ascendsimHold(KEY, 0) == OK
    assert strict_machine.c.ascendsimHold(ctypes.c_uint64(key), 1) == INVALID_PARAMETER
    assert strict_machine.c.ascendsimSyncLevel(b"none") == OK
