"""Saved cases of a folder, each from its file."""

from conformance.devices.device import Device
from conformance.field.given import GivenCase
from conformance.record.operator import Operator
from conformance.session.judge_given import judge_given
from conformance.session.template import conformance_test


@conformance_test
def test_given(operator: Operator, given: GivenCase, device: Device) -> None:
    """Every output lies in the set that the operator's contract allows."""
    verdict = judge_given(given, operator, device)
    assert verdict.ok, verdict
