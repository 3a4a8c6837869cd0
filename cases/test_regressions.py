"""Regressions: calls that a kernel once got wrong, before all others."""

from conformance.devices.device import Device
from conformance.record.frozen import Frozen
from conformance.record.operator import Operator
from conformance.session.judge_frozen import judge_frozen
from conformance.session.template import conformance_test


@conformance_test
def test_regressions(operator: Operator, regression: Frozen, device: Device) -> None:
    """What was refused once is accepted."""
    verdict = judge_frozen(regression, operator, device)
    assert verdict.ok, verdict
