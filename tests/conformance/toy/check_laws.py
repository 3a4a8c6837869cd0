"""A template of relations that stands before one that is judged by the reference."""

from conformance.session.template import conformance_test, judge, relate


@conformance_test
def test_a_law(operator, relation, mode, dtype, device, case):
    """What a relation says holds."""
    verdict = relate(operator, relation, device, case)
    assert verdict.ok, verdict


@conformance_test
def test_values(operator, mode, dtype, device, case):
    """Every output is accepted."""
    verdict = judge(operator, case, device.run(operator, case))
    assert verdict.ok, verdict
