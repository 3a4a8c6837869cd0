"""Sentences are worked out once, and not before somebody reads them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.diagnosis.deferred_text import Deferred
from conformance.judge.verdict import Verdict
from conformance.session.trial import Refused


def counted() -> tuple[list[str], Deferred]:
    calls: list[str] = []

    def work_out() -> list[str]:
        calls.append("worked out")
        return ["first", "second"]

    return calls, Deferred(work_out)


@pytest.mark.parametrize("read", [len, list, str, lambda some: some[1], lambda some: some == ()])
def test_they_are_worked_out_at_the_first_look_and_only_then(
    read: Callable[[Deferred], object],
) -> None:
    calls, some = counted()
    assert calls == []
    read(some)
    read(some)
    assert calls == ["worked out"]


def test_they_equal_the_same_sentences() -> None:
    _, some = counted()
    assert some == ("first", "second")
    assert some == ("first", "second")
    assert some != ("first",)
    assert some != "first"


def test_a_refusal_and_the_repr_of_a_verdict_leave_its_findings_alone() -> None:
    calls, some = counted()
    verdict = Verdict(False, "wrong", findings=some)
    refused = Refused(verdict)
    assert repr(verdict).startswith("Verdict(ok=False, headline='wrong'")
    assert calls == []
    assert str(refused) == "wrong\n  first\n  second"
