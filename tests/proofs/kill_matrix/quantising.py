"""Rows to int8 step by step, in float32, right and with one mistake each."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from reference.floats import FP16, truncate
from tests.conformance.numerics.machines import moved

F32 = np.float32
MOST = F32(127)


def to_even(t):
    """By int32 to nearest, then to half and int8, which change nothing."""
    return np.rint(t)


def away_by_half(t):
    """To half toward zero, then to int8 to nearest, halves away from zero."""
    half = truncate(t, FP16)
    return np.copysign(np.floor(np.abs(half) + 0.5), half)


def even_by_odd_half(t):
    """To half, where an inexact value gets an odd last bit, then to int8 to nearest and even."""
    half = truncate(t, FP16)
    bits = half.astype(np.float16).view(np.uint16)
    odd = np.where(half != t, bits | np.uint16(1), bits).view(np.float16)
    return np.rint(odd.astype(F32))


PATHS = {
    "int32": ("even", to_even),
    "half": ("away", away_by_half),
    "odd": ("even", even_by_odd_half),
}
"""Three ways to convert, each with the rule for ties that it equals below 1024."""


def shifted(values, steps):
    """Quotients of either sign a step away: up and down in magnitude, or as their bits have it."""
    if steps == "mixed":
        mixed = values.view(np.uint32).astype(np.uint64) * np.uint64(0x9E3779B1) >> np.uint64(13)
        steps = (mixed % np.uint64(3)).astype(np.int64) - 1
    size = np.abs(values)
    return np.copysign(np.where(size > 0, moved(size, steps), size), values).astype(F32)


@dataclass(frozen=True)
class Right:
    """``answer`` gives q and scale; a mistake is another step.

    ``scale_steps`` and ``value_steps`` are how far quotients are off: 0, 1, -1 or "mixed".
    """

    scale_steps: int | str = 0
    value_steps: int | str = 0
    path: str = "int32"
    factored = False

    def answer(self, x, factors=None):
        with np.errstate(all="ignore"):
            x = x.astype(F32)
            y = x if factors is None else x * self.factors(factors)
            scale = self.scale(self.most(y if factors is None else self.measured(x, y)))
            divided = y if factors is None else self.divided(x, y)
            t = self.quotients(divided, scale)
            q = np.where(np.isfinite(t), self.rounded(t), 0)
            return self.stored(q), self.told(scale)

    def factors(self, factors):
        return factors

    def measured(self, x, y):
        return y

    def divided(self, x, y):
        return y

    def most(self, y):
        return np.abs(y).max(axis=1, initial=0)

    def scale(self, most):
        return shifted(most / MOST, self.scale_steps)

    def quotients(self, y, scale):
        return shifted(y / scale[:, None], self.value_steps)

    def rounded(self, t):
        return PATHS[self.path][1](t)

    def stored(self, q):
        return np.clip(q, -128, 127).astype(np.int8)

    def told(self, scale):
        return scale


class MostInBfloat16(Right):
    def most(self, y):
        return super().most(y.astype(ml_dtypes.bfloat16).astype(F32))


class Truncated(Right):
    def rounded(self, t):
        return np.trunc(t)


class HalvesUp(Right):
    def rounded(self, t):
        return np.floor(t.astype(float) + 0.5)


class RoundedToHalfFirst(Right):
    def rounded(self, t):
        return np.rint(t.astype(np.float16).astype(F32))


class LastColumnLeftOut(Right):
    def most(self, y):
        return super().most(y[:, :-1])


class LastPartWins(Right):
    def most(self, y):
        return super().most(y[:, y.shape[1] // 2 :])


class OneOffByOne(Right):
    def rounded(self, t):
        found = super().rounded(t)
        found[:, found.shape[1] // 2] -= np.copysign(1, t[:, found.shape[1] // 2])
        return found


class ByInverse(Right):
    def quotients(self, y, scale):
        return y * (MOST / self.most(y))[:, None]


class By128(Right):
    def scale(self, most):
        return most / F32(128)


class NotOfMagnitudes(Right):
    def most(self, y):
        return np.maximum(y.max(axis=1, initial=0), 0)


class InverseTold(Right):
    def told(self, scale):
        return np.where(scale > 0, F32(1) / scale, scale)


class ScaleOfRowBefore(Right):
    def told(self, scale):
        return np.roll(scale, 1)


class ByRowBefore(Right):
    def quotients(self, y, scale):
        return super().quotients(y, np.roll(scale, 1))


class Wrapping(Right):
    def scale(self, most):
        return most / F32(127.6)

    def stored(self, q):
        return q.astype(np.int64).astype(np.int8)


class FactorsInValuesOnly(Right):
    factored = True

    def measured(self, x, y):
        return x


class FactorsOfNextRow(Right):
    factored = True

    def factors(self, factors):
        return np.roll(factors, -1, axis=0)


class PlainDivided(Right):
    factored = True

    def divided(self, x, y):
        return x


MISTAKES = {
    "maximum in bfloat16": MostInBfloat16(),
    "truncated": Truncated(),
    "rounded to half first": RoundedToHalfFirst(),
    "last column not in the maximum": LastColumnLeftOut(),
    "maximum of the last part": LastPartWins(),
    "one element off by one": OneOffByOne(),
    "maximum / 128": By128(),
    "maximum without magnitudes": NotOfMagnitudes(),
    "reciprocal told as the scale": InverseTold(),
    "scale of the row before told": ScaleOfRowBefore(),
    "by the scale of the row before": ByRowBefore(),
    "wraps around": Wrapping(),
    "factors in the values only": FactorsInValuesOnly(),
    "factors of the next row": FactorsOfNextRow(),
    "x divided, not x times factors": PlainDivided(),
}
RIGHT = {
    "quotients a step off": Right("mixed", "mixed"),
    "halves away from zero": Right(path="half"),
}
"""Devices that are right unless they promise exact division, or even halves."""

STRICT = {"floor of t + 1/2": HalvesUp(), "times the inverse": ByInverse()}
"""Mistakes that a division which errs by a step explains."""
