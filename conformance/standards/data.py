"""Data as standards prescribe it: seeded draws of input values, special values, dimensions.

Sources: numerics S.2 (ecosystem, version 2, section 1.2: also special inputs) and S.3 (commercial,
sections 2 and 5.1.2: shares of the distributions per level, outliers; no special inputs listed).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from conformance.catalogue import standards as say

Floats = NDArray[np.float64]
Draw = Callable[[Generator, int], Floats]

MOST_ELEMENTS = 2**31
SPECIAL_INPUTS = ((np.nan,), (np.inf,), (-np.inf,), (-np.inf, np.inf))
"""Values that the elements of an input take in turn, one entry per special case (S.2)."""

SPECIAL_EVERY = 16
"""One recipe in as many is a special case. The standard says which there are, not how often."""

OUTLIER_FACTOR = 1000
"""What an outlier is multiplied by; one element in as many is one, and at least one is (S.3)."""


@dataclass(frozen=True)
class DataRule:
    """How a standard draws the values of one input tensor.

    ``mixture`` has the share of cases and the draw of each distribution; every case takes one.
    ``text`` says it in words. ``special`` lists the special cases, as `SPECIAL_INPUTS` does; empty:
    the standard lists none.
    """

    text: str
    mixture: tuple[tuple[float, Draw], ...]
    special: tuple[tuple[float, ...], ...] = ()

    @property
    def words(self) -> str:
        """How values are drawn, special cases included."""
        if not self.special:
            return say.NO_SPECIAL(text=self.text)
        listed = [listed_values(one) for one in self.special]
        return say.SPECIAL(text=self.text, every=SPECIAL_EVERY, values=listed)

    def special_case(self, seed: int) -> tuple[float, ...] | None:
        """The special case that the recipe of a seed is, in turn; None: it is none, as seed 0."""
        turn, place = divmod(seed, SPECIAL_EVERY)
        if not self.special or place != SPECIAL_EVERY - 1:
            return None
        return self.special[turn % len(self.special)]

    def values(self, seed: int, count: int) -> Floats:
        """The values of one case, float64 [count]; cases are numbered by ``seed``."""
        return self.draw(np.random.Generator(np.random.Philox(seed)), count)

    def draw(self, generator: Generator, count: int) -> Floats:
        """The values of one case from a generator, which also chooses the distribution."""
        shares = [share for share, _ in self.mixture]
        chosen = int(generator.choice(len(self.mixture), p=np.array(shares) / sum(shares)))
        return self.mixture[chosen][1](generator, count)


def listed_values(case: tuple[float, ...]) -> str:
    """A special case in words: nan, inf, -inf, -inf/inf."""
    return "/".join(f"{value:g}" for value in case)


def uniform(low: float, high: float) -> Draw:
    """Uniform in [low, high)."""
    return lambda generator, count: generator.uniform(low, high, count)


def normal(means: tuple[float, float], deviations: tuple[float, float]) -> Draw:
    """Normal, its mean and deviation drawn once per case from these ranges."""

    def draw(generator: Generator, count: int) -> Floats:
        mean, deviation = generator.uniform(*means), generator.uniform(*deviations)
        return generator.normal(mean, deviation, count)

    return draw


def with_outliers(*bases: Draw) -> Draw:
    """One of ``bases``, with max(1, count // 1000) elements multiplied by 1000."""

    def draw(generator: Generator, count: int) -> Floats:
        values = bases[int(generator.integers(len(bases)))](generator, count)
        chosen = generator.choice(count, max(1, count // OUTLIER_FACTOR), replace=False)
        values[chosen] *= OUTLIER_FACTOR
        return values

    return draw


def dimensions(most: int = 2**20) -> tuple[int, ...]:
    """The sizes of an axis that S.2 asks for: powers of two and one less, from 1 to ``most``."""
    powers = [2**k for k in range(most.bit_length()) if 2**k <= most]
    return tuple(sorted({size for power in powers for size in (power - 1, power) if size}))


_FIVES = uniform(-5.0, 5.0)
_HUNDREDS = normal((-100.0, 100.0), (1.0, 25.0))

ECOSYSTEM_V2 = DataRule(
    say.DATA_ECOSYSTEM_V2(),
    ((0.5, _FIVES), (0.5, normal((-5.0, 5.0), (0.1, 2.0)))),
    SPECIAL_INPUTS,
)
COMMERCIAL_L0 = DataRule(
    say.DATA_COMMERCIAL_L0(),
    ((0.5, _FIVES), (0.5, _HUNDREDS)),
)
COMMERCIAL_L1 = DataRule(
    say.DATA_COMMERCIAL_L1(),
    (
        (0.1, uniform(-1e-3, 1e-3)),
        (0.3, _FIVES),
        (0.4, _HUNDREDS),
        (0.2, with_outliers(_FIVES, _HUNDREDS)),
    ),
)
