"""Which failures are of one diagnosis: what went wrong, not where, nor in which mode and dtype.

One mistake of a kernel fails many items. Each is a verdict; but made smaller is the first of a
diagnosis alone, as the others would end in the same few elements. `conformance.gate.groups` tells
the failures of a run by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from conformance.call.findings import errors
from conformance.call.observation import Outcome
from conformance.failure.guessed import natures

if TYPE_CHECKING:
    from conformance.judge.judged import Judged


def diagnosis(judged: Judged, telling: Judged | None = None) -> str:
    """The diagnosis of a refused verdict in a few words: equal ones are taken for one mistake.

    What a kernel was seen to do (diagnostics with their lines, a crash) says more than which
    outputs came out wrong and what is guessed of these, and that more than the headline, of which
    numbers are left out. ``telling`` is a larger case that was refused beside this one.
    """
    what = ", ".join(dict.fromkeys(_what(judged, telling)))
    if not what:
        sentence = judged.verdict.headline.rpartition(", ")[2]
        what = re.sub(r"\d[\d.]*", "#", sentence.partition(": ")[2] or sentence)
    after = " after other calls" if judged.case.before else ""
    return f"{judged.case.operator}: {what}{after}"


def _what(judged: Judged, telling: Judged | None) -> Iterator[str]:
    observation = judged.observation
    broke_down = errors(observation) or observation.outcome is not Outcome.COMPLETED
    if judged.judged_as == "relation" and not broke_down:
        yield f"{judged.name} does not hold"
    elif judged.judged_as == "rejection":
        yield "a call that must be rejected"
    yield from sorted({f"{one.code} at {one.file}:{one.line}" for one in errors(observation)})
    if judged.judged_as != "rejection" and observation.outcome is not Outcome.COMPLETED:
        yield f"the call {observation.outcome.value}"
    wrong = [name for name, output in judged.verdict.outputs.items() if not output.ok]
    if wrong:
        yield f"{', '.join(wrong)} wrong"
    if wrong and not broke_down:
        yield from natures(judged, telling)
    yield from sorted({f"guard zone of {one.buffer}" for one in observation.guard_damage})
    yield from (f"input {name} changed" for name in observation.inputs_changed)
