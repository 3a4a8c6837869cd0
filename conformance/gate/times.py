"""The time of fixed calls on an NPU beside the baseline's: by ratio, with the noise in view.

A call is slower if even the lower bound of its ratio's interval lies above what is allowed
(`conformance.gate.bootstrap`). Compared are calls of the same name with the same inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from conformance.catalogue import times as say
from conformance.gate.bootstrap import Ratio, ratio_of_medians
from conformance.gate.facts import Facts
from conformance.gate.judgement import Finding

MICROSECONDS = 1e6


def slower(run: Facts, before: Facts, most: float) -> Iterator[Finding]:
    """A finding for each timed call that takes more than ``1 + most`` times as long."""
    for name, ratio in ratios(run, before).items():
        if ratio.low > 1 + most:
            message = say.SLOWER(
                was=ratio.before * MICROSECONDS,
                now=ratio.now * MICROSECONDS,
                ratio=ratio.ratio,
                low=ratio.low,
                high=ratio.high,
                most=1 + most,
            )
            yield Finding(kind="slower", subject=name, message=message)


def times_told(run: Facts, before: Facts) -> Iterator[str]:
    """What the timed calls take beside the baseline's, in one line."""
    if found := ratios(run, before):
        worst = max(found, key=lambda name: found[name].ratio)
        mean = math.exp(sum(math.log(one.ratio) for one in found.values()) / len(found))
        yield say.TIMED(calls=len(found), ratio=mean, name=worst, worst=found[worst].ratio)


def times_not_compared(run: Facts, before: Facts) -> Iterator[str]:
    """Why time is not compared, though a bound was asked for; what of it could not be timed."""
    if not any(one.seconds for one in run.times.values()):
        yield say.NO_TIMES()
    elif not ratios(run, before):
        yield say.NO_TIMES_BEFORE()
    for name, one in run.times.items():
        was = before.times.get(name)
        if one.reason and was is not None and was.seconds:
            yield say.NOT_TIMED(name=name, why=one.reason)


def ratios(run: Facts, before: Facts) -> dict[str, Ratio]:
    """The ratios of all calls that both runs have timed, by name."""
    found: dict[str, Ratio] = {}
    for name, now in run.times.items():
        was = before.times.get(name)
        if was is not None and was.digest == now.digest:
            ratio = ratio_of_medians(was.seconds, now.seconds)
            if ratio is not None:
                found[name] = ratio
    return found
