"""How often time that has not changed is called slower, and a planted regression found:
`python -m tests.proofs.times_run`.

No NPU is needed: what is timed is a loop of this host, whose length is the work. Each run is a
process of its own with 30 repetitions after 5 that are not measured, as ``run --timing 30`` makes
them on a device. Runs are compared in pairs, as the gate compares a run with its baseline. The
second has as much work, or 3, 5 or 10 % more. Ends with status 1 where too many alarms are false,
or where 10 % more is missed too often.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence

from conformance.gate.bootstrap import ratio_of_medians
from conformance.session.timing_probe import WARM

TIMES = 30
PAIRS = 200
PLANTED = (0.0, 0.03, 0.05, 0.10)
BOUNDS = (0.0, 0.02, 0.05)
MOST_FALSE = 0.05
"""Of pairs with the same work at the bound that the page recommends."""
LEAST_FOUND = 0.75
"""Of pairs with 10 % more work, at the same bound."""
RECOMMENDED = 0.05
BYTES = 1_000_000

LOOP = """
import hashlib, sys, time
count, warm, times = map(int, sys.argv[1:])
data = bytes(count)
for number in range(warm + times):
    start = time.perf_counter()
    hashlib.sha256(data).digest()
    if number >= warm:
        print(time.perf_counter() - start)
"""


def measured(more: float, times: int) -> tuple[float, ...]:
    """The seconds of each repetition of a run with so much more work."""
    words = [sys.executable, "-c", LOOP, str(round(BYTES * (1 + more))), str(WARM), str(times)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return tuple(map(float, told.split()))


def alarms(more: float, pairs: int, times: int) -> dict[float, int]:
    """In how many pairs the second run is slower than each bound allows."""
    found = dict.fromkeys(BOUNDS, 0)
    for number in range(pairs):
        ratio = ratio_of_medians(measured(0.0, times), measured(more, times), seed=number)
        assert ratio is not None
        for bound in BOUNDS:
            found[bound] += ratio.low > 1 + bound
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; 0 where the rates at the recommended bound are as the page says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="of each planted regression")
    parser.add_argument("--repetitions", type=int, default=TIMES, help="of each run")
    parsed = parser.parse_args(words)
    print("| more work | " + " | ".join(f"bound {one:.0%}" for one in BOUNDS) + " |")
    rates = {}
    for more in PLANTED:
        found = alarms(more, parsed.pairs, parsed.repetitions)
        shares = {bound: count / parsed.pairs for bound, count in found.items()}
        rates[more] = shares[RECOMMENDED]
        print(
            f"| {more:.0%} | " + " | ".join(f"{one:.1%}" for one in shares.values()) + " |",
            flush=True,
        )
    return 0 if rates[0.0] <= MOST_FALSE and rates[0.10] >= LEAST_FOUND else 1


if __name__ == "__main__":
    sys.exit(main())
