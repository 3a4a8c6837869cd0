"""Forbidden calls: each is refused with its own status, and leaves the device fit for use."""

from conformance.devices.device import Device
from conformance.devices.withheld_calls import as_refused
from conformance.record.operator import Operator, Rejection
from conformance.session.template import (
    conformance_test,
    judge_example,
    judge_rejection,
    left_out,
    says_nothing,
)


@conformance_test
def test_rejections(operator: Operator, rejection: Rejection, device: Device) -> None:
    """The call is refused as its rule says.

    A documented call succeeds right after the first that a rule refuses.
    """
    if left_out(rejection, device) or says_nothing(operator, rejection, device):
        return
    observation = device.run(as_refused(operator, rejection), rejection.case)
    verdict = judge_rejection(rejection, observation)
    assert verdict.ok, verdict
    rule = rejection.status, rejection.clause
    first = next(one for one in operator.rejections if (one.status, one.clause) == rule)
    for example in operator.examples[: first.name == rejection.name]:
        after = judge_example(example, operator, device.run(operator, example.case))
        assert after.ok, after
