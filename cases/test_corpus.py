"""The frozen corpus: the same cases in every run, so that runs can be compared."""

from conformance.devices.device import Device
from conformance.record.frozen import Frozen
from conformance.record.operator import Operator
from conformance.session.judge_frozen import judge_frozen
from conformance.session.template import conformance_test


@conformance_test
def test_corpus(operator: Operator, frozen: Frozen, device: Device) -> None:
    """Every output lies in the set that the operator's contract allows."""
    verdict = judge_frozen(frozen, operator, device)
    assert verdict.ok, verdict
