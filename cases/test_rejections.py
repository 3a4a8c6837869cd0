"""Forbidden calls: each is refused with its own status, and leaves the device fit for use."""

from conformance.devices.device import Device
from conformance.operator import Operator, Rejection
from conformance.template import conformance_test, judge_example, judge_rejection, left_out


@conformance_test
def test_rejections(operator: Operator, rejection: Rejection, device: Device) -> None:
    """The call is refused as its rule says, and a documented call succeeds right after it."""
    if left_out(rejection, device):
        return
    verdict = judge_rejection(rejection, device.run(operator, rejection.case))
    assert verdict.ok, verdict
    for example in operator.examples[:1]:
        after = judge_example(example, operator, device.run(operator, example.case))
        assert after.ok, after
