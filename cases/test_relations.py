"""Relations among results: no reference says what they are, only what they have in common."""

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.record.operator import Operator
from conformance.record.relation import Relation
from conformance.session.template import conformance_test, relate


@conformance_test
def test_relations(
    operator: Operator, relation: Relation, mode: str, dtype: str, device: Device, case: Case
) -> None:
    """What a relation says of the results of several calls holds."""
    verdict = relate(operator, relation, device, case)
    assert verdict.ok, verdict
