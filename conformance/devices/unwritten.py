"""Which elements of outputs a call did not write, told by two calls and not by their bits.

Whatever outputs hold before a call, a right kernel may write just that. An element was left as it
was where it holds one poison after a call that found that one there, and another after a call that
found the other. The second call is made only where an element holds the first poison.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conformance import poison
from conformance.call.observation import Observation, Outcome
from conformance.catalogue.device import AGAIN


def in_doubt(first: Observation) -> bool:
    """Whether an element of a completed call holds the poison, so that a second call must tell."""
    return first.outcome is Outcome.COMPLETED and any(first.unwritten.values())


def settled(first: Observation, again: Observation) -> Observation:
    """The answer of the first call, with what the second one shows to be unwritten.

    A second call that did not complete is what became of the call.
    """
    if again.outcome is not Outcome.COMPLETED:
        return replace(again, message=AGAIN(text=again.message))
    left = {
        name: poison.holds(array) & poison.holds(again.outputs[name], poison.OUTPUTS_AGAIN)
        for name, array in first.outputs.items()
        if first.unwritten[name]
    }
    counts = {name: int(np.count_nonzero(mask)) for name, mask in left.items()}
    at: dict[str, NDArray[np.bool_]] = {name: left[name] for name in left if counts[name]}
    unwritten = {**first.unwritten, **counts}
    return replace(
        first,
        unwritten=unwritten,
        unwritten_at=at,
        outputs_untouched=all(unwritten[name] == one.size for name, one in first.outputs.items()),
        reopened=first.reopened + again.reopened,
    )
