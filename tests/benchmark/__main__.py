"""What things cost: ``make benchmark``, or ``python -m tests.benchmark SECTION``.

Ends with status 1 where a ratio is beyond its limit. Only ratios within one run are compared.
"""

import argparse
import sys

from tests.benchmark import (
    edits,
    harness,
    implementations,
    machine,
    patience,
    records,
    selections,
    verdicts,
)

SECTIONS = {
    "edits": edits.measure,
    "mistakes": edits.mistakes,
    "verdicts": verdicts.measure,
    "harness": harness.measure,
    "implementations": implementations.measure,
    "machine": machine.measure,
    "patience": patience.measure,
    "records": records.measure,
    "selections": selections.measure,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all if absent")
    chosen = parser.parse_args().section or list(SECTIONS)
    if unknown := sorted(set(chosen) - SECTIONS.keys()):
        parser.error(f"section {unknown[0]}: must be one of {', '.join(SECTIONS)}")
    good = True
    for name in chosen:
        for text, within in SECTIONS[name]():
            print(text if within else f"{text}: BEYOND ITS LIMIT", flush=True)
            good &= within
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
