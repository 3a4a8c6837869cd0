"""The proof of quantised rows can fail: a device that errs by more than it says is refused."""

import pytest

from conformance.numerics.arithmetic import IEEE
from tests.proofs import quantised_run
from tests.proofs.kill_matrix.quantising import PATHS, Right
from tests.proofs.quantised_run import of_device


@pytest.mark.parametrize("path", PATHS)
def test_a_device_is_accepted_by_what_it_says_of_its_division_and_else_refused(path, monkeypatch):
    device = Right("mixed", -1, path)
    verdicts = [*of_device(device, "float16", rows=1, seed=3)]
    assert len(verdicts) == 112
    assert all(one.ok for one in verdicts)
    monkeypatch.setattr(quantised_run, "arithmetic_of", lambda device: IEEE)
    assert any(not one.ok for one in of_device(device, "float16", rows=1, seed=3))
