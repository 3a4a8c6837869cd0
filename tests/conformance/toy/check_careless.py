"""Templates that forget something."""

from conformance.judge.verdict import Verdict
from conformance.session.template import conformance_test, record


@conformance_test
def test_judges_nothing(operator, example, device):
    device.run(operator, example.case)


@conformance_test
def test_asserts_nothing(operator, example, device):
    record(Verdict(False, "It is wrong."), example.case, device.run(operator, example.case))


@conformance_test
def test_asserts_something_else(operator, example, device):
    record(Verdict(True, "It is right."), example.case, device.run(operator, example.case))
    assert operator.name == "another", "the template's own complaint"
