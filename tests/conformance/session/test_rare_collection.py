"""A run looks for garbage rarely, and a process is afterwards as it was before."""

import gc

from conformance.session.rare_collection import THRESHOLD, rarely_collected


def test_what_was_there_before_is_not_looked_at_until_the_end() -> None:
    before = gc.get_threshold()
    with rarely_collected():
        assert gc.get_threshold() == THRESHOLD
        assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_a_process_in_which_a_run_fails_is_as_it_was_before() -> None:
    before = gc.get_threshold()
    try:
        with rarely_collected():
            raise KeyError
    except KeyError:
        assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
