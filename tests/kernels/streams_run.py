"""Whether mistakes of streams are refused: `python -m tests.kernels.streams_run`.

Every kernel of mutants_streams.py is built, and the documented calls of its operator are made on
each kind of stream. Ends with status 1 where all are accepted.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from conformance.call.surroundings import BESIDE, DEFAULT, OWN, Setting, Stream
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.suite import records as suite
from tests.kernels.mutants import Mutant
from tests.kernels.mutants_streams import MUTANTS
from tests.kernels.shown_mutants import build_alone

TIME_LIMIT = 20
STREAMS: tuple[Stream, ...] = (OWN, DEFAULT, BESIDE)


def refused(operator: str, mutant: Mutant, folder: Path) -> dict[Stream, int]:
    """How many documented calls are refused on each kind of stream."""
    (record,) = suite.chosen(suite.records(), [operator])
    lib = build_alone(operator, mutant, folder)
    found: dict[Stream, int] = {}
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib)) as device:
        for stream in STREAMS:
            cases = [replace(one.case, setting=Setting(stream=stream)) for one in record.examples]
            found[stream] = sum(
                not judge(record, case, device.run(record, case)).ok for case in cases
            )
    return found


def main() -> int:
    """Judge them, one after the other; 0 where every one is refused on some stream."""
    accepted = 0
    for operator, mutants in MUTANTS.items():
        for mutant in mutants:
            with tempfile.TemporaryDirectory() as folder:
                found = refused(operator, mutant, Path(folder))
            told = ", ".join(f"{stream} {count}" for stream, count in found.items())
            print(f"{mutant.name:64} refused calls: {told}", flush=True)
            accepted += not any(found.values())
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main())
