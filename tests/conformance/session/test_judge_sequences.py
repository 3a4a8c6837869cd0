"""Every answer of a sequence is judged, and a mistake is told with the calls that it takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.call.observation import Outcome
from conformance.catalogue import failure as say
from conformance.session.smaller import shorten
from conformance.session.trial import Refused, Spent
from tests.conformance.session.forgetful import (
    LARGE,
    MUST_BE_REFUSED,
    OPERATOR,
    OTHER,
    SMALL,
    Bench,
    Forgetful,
    of_other,
)
from tests.conformance.session.test_failure_text import SNAPSHOTS
from tests.snapshots import pinned


def test_every_answer_of_a_good_device_is_on_record() -> None:
    bench = Bench(Forgetful())
    bench.attempt(SMALL, MUST_BE_REFUSED, of_other(LARGE), SMALL)
    assert [judged.verdict.ok for judged in bench.noted] == [True] * 4
    assert {judged.judged_as for judged in bench.noted} == {"sequence"}
    assert [len(judged.case.before) for judged in bench.noted] == [0, 1, 2, 3]


def test_a_sequence_begins_on_a_new_device() -> None:
    bench = Bench(Forgetful("larger"))
    bench.attempt(LARGE)
    bench.attempt(SMALL)
    assert bench.device.renewed == 2


def test_the_refused_call_is_told_with_those_before_it_and_none_behind() -> None:
    bench = Bench(Forgetful("larger"))
    with pytest.raises(Refused):
        bench.attempt(LARGE, SMALL, LARGE, SMALL)
    assert bench.trial.smallest is not None
    assert bench.trial.smallest.case == replace(SMALL, before=(LARGE,))
    assert len(bench.noted) == 2


def test_the_refused_call_of_a_sequence_may_be_one_that_must_be_refused() -> None:
    """The device carries out what it must refuse once it was broken."""
    bench = Bench(Forgetful())
    bench.device.run = lambda called, one: Forgetful().run(called, LARGE)  # type: ignore[method-assign]
    with pytest.raises(Refused, match="the call was carried out, it must be rejected"):
        bench.attempt(MUST_BE_REFUSED, SMALL)


def test_calls_without_which_the_mistake_shows_are_left_out() -> None:
    bench = Bench(Forgetful("refused"))
    with pytest.raises(Refused):
        bench.attempt(LARGE, SMALL, MUST_BE_REFUSED, SMALL, LARGE)
    shorten(bench.trial, bench.body)
    bench.trial.replay()
    smallest = bench.trial.smallest
    assert smallest is not None
    assert smallest.case == replace(SMALL, before=(MUST_BE_REFUSED,))
    assert bench.trial.alone_accepted
    assert not bench.trial.unrepeatable


def test_a_mistake_of_the_call_itself_is_told_without_calls_before_it() -> None:
    bench = Bench(Forgetful(broken=("segment_sum",)))
    with pytest.raises(Refused):
        bench.attempt(of_other(LARGE), MUST_BE_REFUSED, SMALL)
    shorten(bench.trial, bench.body)
    assert bench.trial.smallest is not None
    assert bench.trial.smallest.case == SMALL
    assert not bench.trial.alone_accepted


def test_a_call_of_another_operator_that_is_refused_by_itself_is_that_ones_to_tell() -> None:
    bench = Bench(Forgetful(broken=(OTHER.name,)))
    bench.attempt(SMALL, of_other(LARGE), SMALL)
    told = bench.noted[-1]
    assert told.observation.outcome is Outcome.NOT_POSSIBLE
    assert told.verdict.ok
    assert not told.verdict.judged
    assert told.verdict.headline == (
        "segment_sum, plain, float32: not called after a call of other_sum that fails by itself"
    )


def test_a_call_of_another_operator_that_is_poisoned_is_told() -> None:
    bench = Bench(Forgetful("other"))
    with pytest.raises(Refused):
        bench.attempt(SMALL, of_other(SMALL), LARGE)
    shorten(bench.trial, bench.body)
    assert bench.trial.smallest is not None
    assert bench.trial.smallest.case == replace(of_other(SMALL), before=(SMALL,))
    assert bench.trial.alone_accepted


def test_a_refused_sequence_is_remembered_with_its_calls_and_their_memory() -> None:
    """Alone the last call has the same digest, and is accepted."""
    bench = Bench(Forgetful("larger"))
    for _ in range(2):
        with pytest.raises(Refused):
            bench.attempt(LARGE, SMALL)
    assert bench.device.renewed == 1
    bench.attempt(SMALL)
    assert bench.device.renewed == 2


def test_when_its_time_to_shrink_is_over_no_more_sequences_are_drawn() -> None:
    bench = Bench(Forgetful("larger"))
    bench.trial.of_sequences = True
    with pytest.raises(Refused):
        bench.attempt(LARGE, SMALL)
    bench.trial.budget.shrink_seconds = -1
    with pytest.raises(Spent):
        bench.attempt(LARGE, SMALL)
    assert bench.device.renewed == 1
    with pytest.raises(Refused):
        bench.trial.settle()


def test_a_sequence_whose_call_is_refused_by_itself_is_told_as_that_call_and_not_shrunk() -> None:
    bench = Bench(Forgetful(broken=(OPERATOR.name,)))
    bench.trial.of_sequences = True
    known = "segment_sum: y wrong"
    bench.trial.diagnoses.known[known] = known
    drawn = replace(LARGE, before=(MUST_BE_REFUSED, SMALL))
    with pytest.raises(Refused):
        bench.trial.attempt(lambda: bench.body(drawn), drawn, bench.body)
    assert bench.trial.diagnoses.as_drawn
    assert bench.trial.smallest is not None
    assert bench.trial.smallest.case == SMALL
    with pytest.raises(Spent):
        bench.trial.attempt(lambda: bench.body(drawn), drawn, bench.body)


def test_a_sequence_whose_call_is_accepted_by_itself_is_another_diagnosis() -> None:
    bench = Bench(Forgetful("larger"))
    bench.trial.diagnoses.known["segment_sum: y wrong"] = "segment_sum: y wrong"
    drawn = replace(SMALL, before=(LARGE,))
    with pytest.raises(Refused):
        bench.trial.attempt(lambda: bench.body(drawn), drawn, bench.body)
    assert not bench.trial.diagnoses.as_drawn
    assert bench.trial.smallest is not None
    assert bench.trial.smallest.case == drawn


def test_the_text_of_a_call_after_others() -> None:
    bench = Bench(Forgetful("larger"))
    with pytest.raises(Refused) as refused:
        bench.attempt(of_other(SMALL), LARGE, MUST_BE_REFUSED, SMALL)
    text = refused.value.verdict.text + "\n  " + say.ALONE_ACCEPTED()
    pinned(SNAPSHOTS / "after_other_calls.txt", text)
