"""Documented calls: what a document or a public test prints, the device answers."""

from conformance.devices.device import Device
from conformance.record.operator import Example, Operator
from conformance.session.template import conformance_test, judge_example


@conformance_test
def test_examples(operator: Operator, example: Example, device: Device) -> None:
    """The call succeeds, its outputs lie in the contract and equal the printed values."""
    verdict = judge_example(example, operator, device.run(operator, example.case))
    assert verdict.ok, verdict
