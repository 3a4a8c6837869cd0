"""Whether each regression refuses its mistake: `python -m tests.kernels.escapes_run`.

Every kernel of mutants_escapes.py is built and called with its one regression, and nothing else is
judged. Ends with status 1 where one is accepted; the regression is then kept for nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from conformance import places
from conformance.devices.open import open_device
from conformance.frozen.attach import REGRESSIONS
from conformance.frozen.regressions import read_regressions
from conformance.judge.calls import judge
from conformance.record.frozen import Frozen
from conformance.suite import records as suite
from tests.kernels.mutants_escapes import ESCAPES
from tests.kernels.shown_mutants import build_alone

TIME_LIMIT = 20


def regression(operator: str, name: str) -> Frozen:
    """A regression of the suite's own."""
    known = read_regressions(places.records().with_name(REGRESSIONS))
    (found,) = (one for one in known[operator] if one.name == name)
    return found


def refused(operator: str, name: str, folder: Path) -> str:
    """What the verdict of a regression says on the kernel with its mistake; "" if accepted."""
    (record,) = suite.chosen(suite.records(), [operator])
    lib = build_alone(operator, ESCAPES[operator, name], folder)
    case = regression(operator, name).case
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib)) as device:
        verdict = judge(record, case, device.run(record, case))
    return "" if verdict.ok else verdict.headline


def main(words: Sequence[str] | None = None) -> int:
    """Judge them, one after the other; 0 where every one is refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    chosen = parser.parse_args(words)
    accepted = 0
    for operator, name in ESCAPES:
        if chosen.operator and operator not in chosen.operator:
            continue
        with tempfile.TemporaryDirectory() as folder:
            said = refused(operator, name, Path(folder))
        print(f"{operator:40} {name:50} {said or 'ACCEPTED'}", flush=True)
        accepted += not said
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main())
