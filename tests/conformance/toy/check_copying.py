"""The toy's templates."""

import numpy as np

from conformance.call.observation import Outcome
from conformance.judge.verdict import OutputVerdict, Verdict
from conformance.session.template import conformance_test, record


@conformance_test
def test_copies(operator, mode, dtype, device, case):
    """The output equals the input."""
    observation = device.run(operator, case)
    verdict = record(toy_judge(operator, case, observation), case, observation)
    assert verdict.ok, verdict


def toy_judge(operator, case, observation):
    clause = operator.modes[0].clause
    if observation.outcome is Outcome.TIMED_OUT:
        return Verdict(False, "The call did not end in time.", clause=clause)
    wrong = int(np.count_nonzero(observation.outputs["y"] != case.arrays["x"]))
    size = case.arrays["x"].size
    output = OutputVerdict("y", not wrong, clause, "declared order", size, size - wrong, wrong)
    headline = f"y is wrong in {wrong} of {size} elements." if wrong else "y is right."
    return Verdict(not wrong, headline, {"y": output}, clause=clause)
