"""The probe of functions finds what the simulated machine was set to, on each implementation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance import places
from conformance.call.case import FUNCTIONS, Machine
from conformance.devices.device import Device
from conformance.devices.open import Kernels, open_device
from conformance.record.functions import NAMES, FunctionTraits
from conformance.session.function_probe import probed_functions

SMALL_RESULTS = {"exp", "div", "reciprocal"}
"""Functions with results below 2^-126."""


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    """The simulated device, with the kernel of the probe alone."""
    opened = open_device("sim", kernels=Kernels((places.probe_kernels(),)))
    yield opened
    opened.close()


@pytest.mark.parametrize("functions", FUNCTIONS)
def test_the_probe_finds_what_was_set(device: Device, functions: str) -> None:
    found = dict(probed_functions(device, Machine(48, 196352, functions=functions)))
    assert list(found) == list(NAMES)
    steps = 0 if functions in ("rounded", "flushed") else 1
    for name, traits in found.items():
        assert traits == FunctionTraits(
            steps=steps,
            flush=functions == "flushed" and name in SMALL_RESULTS,
            uniform=True,
            monotone=functions != "hashed",
        ), name
        assert isinstance(traits, FunctionTraits)
        declared = device.profile.functions.by_name[name]
        assert declared.steps is not None
        assert steps <= declared.steps
