"""Templates of which one observes only."""

from conformance.judge.verdict import Verdict
from conformance.session.template import conformance_test, observe_quarantined, record


@conformance_test
def test_copies(operator, mode, dtype, device, case):
    """The output is there."""
    seen = device.run(operator, case)
    assert record(Verdict("y" in seen.outputs, "y is there."), case, seen).ok


@conformance_test
def test_observes(operator, quarantined, device):
    """Whatever the answer, it is put on record."""
    assert observe_quarantined(quarantined, operator, device.run(operator, quarantined.case)).ok
