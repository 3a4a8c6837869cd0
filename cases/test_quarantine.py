"""Calls in quarantine: sources differ on them, so their answers are told and fail nothing."""

from conformance.devices.device import Device
from conformance.record.operator import Operator, Quarantine
from conformance.session.template import conformance_test, observe_quarantined


@conformance_test
def test_quarantine(operator: Operator, quarantined: Quarantine, device: Device) -> None:
    """The call is made, and what becomes of it is put on record."""
    verdict = observe_quarantined(quarantined, operator, device.run(operator, quarantined.case))
    assert verdict.ok, verdict
