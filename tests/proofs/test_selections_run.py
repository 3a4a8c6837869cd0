"""The proof of selections can fail: a device that errs by more than it says is refused."""

import pytest

from tests.proofs import selections_run
from tests.proofs.selections_run import Device, of_device

TABLE = Device("table", "lanes", 1, by_reciprocal=False)


@pytest.mark.parametrize(("said", "refused"), [(2, False), (0, True)])
def test_only_an_exp_that_is_off_by_more_than_it_says_is_refused(said, refused, monkeypatch):
    monkeypatch.setitem(selections_run.STEPS, "table", said)
    verdicts = [*of_device(TABLE, "float32", 0, rows=4)]
    assert len(verdicts) == 60
    assert any(not one.ok for one in verdicts) == refused
    assert not any(one.outputs["y"].unbounded for one in verdicts if one.ok)
