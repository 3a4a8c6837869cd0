"""A case with calls before it is made on a new device, and each call is one to make."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.call.surroundings import Setting
from conformance.devices.call import call_of
from conformance.judge.legality import IllegalCase
from conformance.judge.sequences import check_before, judged, observed, rejection_of
from conformance.numerics.arithmetic import IEEE
from tests.conformance.segment_sum import right
from tests.conformance.session.forgetful import (
    LARGE,
    MUST_BE_REFUSED,
    OPERATOR,
    OTHER,
    SMALL,
    Forgetful,
    of_other,
)

RECORDS = {one.name: one for one in (OPERATOR, OTHER)}
AFTER = replace(SMALL, before=(LARGE, MUST_BE_REFUSED))


def test_the_calls_before_a_case_are_made_on_a_new_device() -> None:
    device = Forgetful()
    seen = observed(RECORDS, AFTER, device)  # type: ignore[arg-type]
    assert device.made == [LARGE, MUST_BE_REFUSED, SMALL]
    assert device.renewed == 1
    assert seen.outputs["y"].tolist() == right(SMALL).tolist()


def test_a_case_without_calls_before_it_needs_no_new_device() -> None:
    device = Forgetful()
    observed(RECORDS, SMALL, device)  # type: ignore[arg-type]
    assert device.renewed == 0


def test_a_case_with_calls_before_it_is_not_made_as_one_call() -> None:
    with pytest.raises(ValueError, match="the case has 2 calls before it: make each by itself"):
        call_of(OPERATOR, AFTER)


def test_a_call_that_must_be_refused_is_known_wherever_it_is_made() -> None:
    elsewhere = replace(MUST_BE_REFUSED, setting=Setting("zeroed"), before=(SMALL,))
    assert rejection_of(OPERATOR, elsewhere) is OPERATOR.rejections[0]
    assert rejection_of(OPERATOR, SMALL) is None
    assert rejection_of(OPERATOR, of_other(MUST_BE_REFUSED)) is None


def test_a_call_that_must_be_refused_is_judged_by_its_rule() -> None:
    made = replace(MUST_BE_REFUSED, before=(SMALL,))
    verdict = judged(OPERATOR, made, Forgetful().run(OPERATOR, MUST_BE_REFUSED), IEEE)
    assert verdict.ok
    assert "topK is 0: rejected with status 161002" in verdict.headline
    assert "after these calls" in str(verdict.subject)


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (replace(SMALL, operator="unknown"), r"before\[1\].operator is unknown; it must be one of"),
        (replace(SMALL, mode="odd"), r"before\[1\]: mode is odd; it must be one of plain"),
        (of_other(MUST_BE_REFUSED), None),
        (replace(SMALL, attributes={}), r"before\[1\]: attributes is none; it must be topK"),
    ],
)
def test_a_call_before_a_case_is_one_to_carry_out_or_to_refuse(before, words) -> None:  # type: ignore[no-untyped-def]
    made = replace(SMALL, before=(before,))
    if words is None:
        check_before(made, RECORDS)
        return
    with pytest.raises(IllegalCase, match=words):
        check_before(made, RECORDS)
