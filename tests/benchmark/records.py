"""What a call costs beside its kernel, a line of evidence, and a question to a long history."""

import contextlib
import tempfile
from pathlib import Path

from conformance.devices.open import open_device
from conformance.evidence.lines import Writer
from tests.benchmark.timing import best
from tests.conformance.devices.fakes import compile_fakes, fake_case, fake_operator
from tests.conformance.evidence.test_lines import line
from tests.conformance.history.test_history import changed, of_100000_calls, trends

LINES = 1000
MOST_MILLISECONDS = {
    "a call of a device that does next to nothing": 1.0,
    "a line of evidence": 1.0,
    "a trend of 100,000 calls": 100.0,
    "the changes of 100,000 calls": 100.0,
}


def seconds(folder):
    """Seconds of each, in the order of the limits."""
    compile_fakes(folder)
    operator, case = fake_operator("FakeAdd"), fake_case()
    with contextlib.closing(open_device("sim", libraries=folder)) as device:
        yield from best(lambda: device.run(operator, case), repeats=50)
    writer = Writer(folder, "main")
    (lines,) = best(lambda: [writer.write(line()) for _ in range(LINES)], repeats=3)
    writer.close()
    yield lines / LINES
    db = of_100000_calls(folder)
    yield from best(lambda: trends(db, "op0"), lambda: changed(db, "op0"))


def measure():
    """The lines to print, each with whether it is within its limit."""
    with tempfile.TemporaryDirectory() as folder:
        for (what, most), spent in zip(
            MOST_MILLISECONDS.items(), seconds(Path(folder)), strict=True
        ):
            found = 1000 * spent
            yield f"{what}: {found:.2f} ms (at most {most:g})", found <= most
