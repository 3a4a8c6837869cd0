"""How many small cases of a Python function are judged in the time of one of a compiled kernel."""

from contextlib import closing
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from cases.operators.moe_token_permute import OPERATOR
from conformance.devices.messages import Functions
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.record.torch_binding import PYTHON
from conformance.suite.on_route import on_route
from tests.benchmark.timing import best

EXAMPLES = Path(__file__).parents[2] / "examples" / "implementations"
CASES, LEAST = 300, 1.0


def judged(operator, device, cases):
    """Run and judge the cases."""
    assert all(judge(operator, case, device.run(operator, case)).ok for case in cases)


def drawn():
    """Small cases that a function can be asked."""
    found = []

    @settings(
        max_examples=CASES,
        phases=(Phase.generate,),
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=tuple(HealthCheck),
    )
    @given(OPERATOR.small_cases("whole", "float32"))
    def draw(case):
        if not OPERATOR.torch_npu.unreached(case):
            found.append(case)

    draw()
    return found


def measure():
    """The lines to print, each with whether it is within its limits."""
    cases = drawn()
    functions = Functions({OPERATOR.name: f"{EXAMPLES / 'with_numpy.py'}:permute"}, tensors="numpy")
    with (
        closing(open_device("sim")) as simulator,
        closing(open_device(functions=functions)) as host,
    ):
        kernel = partial(judged, OPERATOR, simulator, cases)
        function = partial(judged, on_route(OPERATOR, PYTHON), host, cases)
        slow, fast = best(kernel, function)
    ratio = slow / fast
    text = f"small cases of a numpy function: {len(cases) / fast:.0f} a second with two processes"
    yield f"{text}, {ratio:.2f} times those on the simulator (at least {LEAST:g})", ratio >= LEAST
