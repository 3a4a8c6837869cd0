"""A difference between two accepted answers is told by what differs, and in which call."""

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cases.operators.moe_token_permute_grad import OPERATOR
from conformance.call.observation import Diagnostic, Observation, Outcome
from conformance.mutants.answer import answer, difference
from conformance.mutants.drawn_cases import Call

EXAMPLE, REJECTION = OPERATOR.examples[0], OPERATOR.rejections[0]
DRAWN = Call(EXAMPLE.case)
IN_A_DRAWN = f"a drawn case of {EXAMPLE.case.mode}, {EXAMPLE.case.dtype}"


def completed(value: float, code: str = "") -> Observation:
    found = (Diagnostic(code, "warning", "told"),) if code else ()
    return Observation(
        Outcome.COMPLETED, outputs={"out": np.array([value], np.float32)}, diagnostics=found
    )


@pytest.mark.parametrize(
    ("call", "seen", "told"),
    [
        (DRAWN, completed(2.0), f"out differs in {IN_A_DRAWN}: let the contract promise more"),
        (DRAWN, completed(1.0, "x"), f"{IN_A_DRAWN} has other warnings of the device: x"),
        (
            Call(REJECTION.case, rejection=REJECTION),
            Observation(Outcome.REJECTED, 161002),
            f"rejected call {REJECTION.name} ends otherwise: ",
        ),
    ],
)
def test_what_differs(call: Call, seen: Observation, told: str) -> None:
    assert difference(call, answer(completed(1.0)), answer(seen)).startswith(told)


def test_the_words_of_a_message_are_no_part_of_an_answer() -> None:
    one, other = (Observation(Outcome.REJECTED, 161002, message=text) for text in ("a", "b"))
    assert answer(one) == answer(other)
    assert answer(completed(0.0)) != answer(completed(-0.0))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_a_nan_of_another_sign_is_no_other_answer_and_one_in_place_of_a_number_is(
    dtype: Any,
) -> None:
    def seen(*values: float) -> Observation:
        return replace(completed(0.0), outputs={"y": np.array(values, np.float64).astype(dtype)})

    negative = np.copysign(np.nan, -1.0)
    assert answer(seen(1.0, np.nan)) == answer(seen(1.0, negative))
    assert answer(seen(1.0, np.nan)) != answer(seen(np.nan, 1.0))


def test_a_signalling_nan_of_bfloat16_is_compared_without_a_warning() -> None:
    def seen(bits: int) -> Observation:
        pattern = np.array([bits], np.uint16).view(ml_dtypes.bfloat16)
        return replace(completed(0.0), outputs={"y": pattern})

    assert answer(seen(0x7F81)) == answer(seen(0x7FC0))
