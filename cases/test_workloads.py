"""Workloads: the calls of published models, with their routing, on a whole chip."""

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.record.operator import Operator
from conformance.record.workload import Workload
from conformance.session.template import conformance_test, judge


@conformance_test
def test_workloads(operator: Operator, workload: Workload, device: Device, case: Case) -> None:
    """Every output lies in the set that the operator's contract allows."""
    verdict = judge(operator, case, device.run(operator, case))
    assert verdict.ok, verdict
