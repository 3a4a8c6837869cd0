"""Some cases at a time: a device makes their calls before the first of them is judged.

To ask for a small call and wait takes longer than the call, and drawing, calling and judging by
turns empties the processor's caches. Cases are judged one by one, as they would be without this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from conformance.call.case import Case

AT_ONCE = 16
"""Cases whose calls are made before the first of them is judged."""

Payload = TypeVar("Payload")
Drawn = tuple[Case | None, Payload]


def made_ahead(
    drawn: Iterable[Drawn[Payload]], arguments: Mapping[str, Any], at_once: int = AT_ONCE
) -> Iterator[Drawn[Payload]]:
    """What is drawn, in its order; cases are None where there is none.

    ``arguments`` are those of a template: if they have a device that runs ahead, and the operator,
    it makes the calls of ``at_once`` cases first. What a draw raises, it raises in its turn.
    """
    operator = arguments.get("operator")
    run_ahead = getattr(arguments.get("device"), "run_ahead", None)
    if run_ahead is None or operator is None or at_once < 2:
        yield from drawn
        return
    source = iter(drawn)
    while True:
        group: list[Drawn[Payload]] = []
        raised: Exception | None = None
        try:
            group.extend(islice(source, at_once))
        except Exception as error:
            raised = error
        cases = [case for case, _ in group if case is not None]
        if len(cases) > 1:
            run_ahead(operator, cases)
        yield from group
        if raised is not None:
            raise raised
        if len(group) < at_once:
            return
