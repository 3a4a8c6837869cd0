"""What is declared of the functions of a device: of each kind, and in both languages."""

from __future__ import annotations

import pytest

from conformance.catalogue.message import within
from conformance.devices.function_traits import SIMULATED, stated_of, words_of
from conformance.devices.messages import Functions as PythonFunctions
from conformance.devices.messages import Opened, Setup
from conformance.devices.open import _profile
from conformance.record.functions import (
    ALL_UNKNOWN,
    CORRECT,
    UNKNOWN,
    UNUSED,
    Functions,
    FunctionTraits,
)

ON_PYTHON = PythonFunctions({"x": "x.py:x"})


def functions_of(setup: Setup, soc: str) -> Functions:
    """What the profile of a device that opened so knows."""
    return _profile(setup, Opened(soc, 1, None, "unknown", {})).functions


def test_the_simulator_declares_what_each_of_its_implementations_keeps() -> None:
    declared = functions_of(Setup("sim", None, None, 0, 0), "Ascend910B1")
    assert declared == SIMULATED
    kept = FunctionTraits(steps=1, flush=True, uniform=True, monotone=False)
    assert set(declared.by_name.values()) == {kept}


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910_9382"])
def test_no_page_states_anything_of_a_card(soc: str) -> None:
    assert functions_of(Setup("npu", None, None, 0, 0), soc) == ALL_UNKNOWN


def test_of_one_soc_a_page_states_the_error_of_four_functions() -> None:
    stated = functions_of(Setup("npu", None, None, 0, 0), "Ascend950PR_9599")
    assert stated == stated_of("Ascend950")
    assert stated.reciprocal == UNKNOWN
    near = FunctionTraits(steps=2)
    assert {stated.exp, stated.ln, stated.sqrt, stated.div} == {near}


@pytest.mark.parametrize(("kind", "soc"), [("host", "cpu"), ("sim", "Ascend910B1")])
def test_of_what_python_functions_call_nothing_is_known(kind: str, soc: str) -> None:
    setup = Setup(kind, None, None, 0, 0, functions=ON_PYTHON)  # type: ignore[arg-type]
    assert functions_of(setup, soc) == ALL_UNKNOWN


@pytest.mark.parametrize(
    ("traits", "english", "chinese"),
    [
        (UNKNOWN, "unknown", "未知"),
        (FunctionTraits(steps=2), "at most 2 steps off, may flush", None),
        (CORRECT, "at most 0 steps off, uniform, monotone", None),
        (UNUSED, "not used", "未使用"),
        (
            SIMULATED.exp,
            "at most 1 step off, may flush, uniform",
            "最多偏离 1 个浮点步, 可能清零次正规数, 各处一致",
        ),
    ],
)
def test_traits_in_words(traits: FunctionTraits, english: str, chinese: str | None) -> None:
    said = words_of(traits)
    assert said == english
    if chinese is not None:
        assert within(said, "zh") == chinese
