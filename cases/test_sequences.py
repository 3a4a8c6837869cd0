"""Sequences: no call changes what another one answers, whatever was called, refused or repeated."""

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.record.operator import Operator
from conformance.session.judge_sequences import judge_sequence
from conformance.session.template import conformance_test


@conformance_test
def test_sequences(operator: Operator, device: Device, case: Case) -> None:
    """Every answer to calls made one after the other on a new device is the contract's."""
    verdict = judge_sequence(operator, device, case)
    assert verdict.ok, verdict
