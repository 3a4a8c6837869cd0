"""A run looks for garbage rarely, and never among what was there before."""

import gc
from collections.abc import Iterator

import pytest

from conformance.session.rare_collection import THRESHOLD, rarely_collected


@pytest.fixture(autouse=True)
def _nothing_stays_frozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_what_was_there_before_is_not_looked_at_again() -> None:
    before = gc.get_threshold()
    with rarely_collected():
        assert gc.get_threshold() == THRESHOLD
        assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() > 10_000


def test_a_process_in_which_a_run_fails_collects_as_often_as_before() -> None:
    before = gc.get_threshold()
    try:
        with rarely_collected():
            raise KeyError
    except KeyError:
        assert gc.get_threshold() == before
