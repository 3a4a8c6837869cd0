"""The template of values alone."""

from conformance.session.template import conformance_test, judge


@conformance_test
def test_values(operator, mode, dtype, device, case):
    """Every output is accepted."""
    verdict = judge(operator, case, device.run(operator, case))
    assert verdict.ok, verdict
