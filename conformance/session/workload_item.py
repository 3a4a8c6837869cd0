"""An item that makes the calls of a workload (conformance/record/workload.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from conformance.catalogue import failure as say
from conformance.draw.not_simplest import not_simplest
from conformance.record.operator import Operator
from conformance.record.workload import Batch
from conformance.session.endings import Refused
from conformance.session.rows_and_edges import Drawing
from conformance.session.trial import Trial

DTYPE = "bfloat16"
"""In which the models are published."""


FEW_ELEMENTS = 2**14
"""Of a batch that is drawn together with others."""


def dtype_of(operator: Operator) -> str:
    """The data type of an operator's workloads."""
    return DTYPE if DTYPE in operator.dtypes else operator.dtypes[0]


def routed(
    operator: Operator, batches: Iterable[Batch], drawing: Drawing, trial: Trial
) -> Callable[..., None]:
    """A test that judges a case of every batch, up to the first that is refused.

    Then it looks for the smallest refused batch of that routing: the fewest tokens, then one
    column.
    """

    def judged(group: Sequence[Batch], arguments: dict[str, object]) -> None:
        __tracebackhide__ = True
        assert operator.workload_cases is not None
        made = [operator.workload_cases(dtype_of(operator), batch) for batch in group]
        drawing([*map(not_simplest, made)], 1, str(group[0]), shrinks=False)(**arguments)

    def run(**arguments: object) -> None:
        __tracebackhide__ = True
        for group in _groups(batches):
            try:
                judged(group, arguments)
            except Refused:
                if not trial.diagnoses.as_drawn:
                    trial.noted = say.WORKLOAD(batch=smallest(group, arguments).text)
                raise

    def smallest(group: Sequence[Batch], arguments: dict[str, object]) -> Batch:
        tried = (smaller for batch in group for smaller in (*_smaller(batch), batch))
        for smaller in dict.fromkeys(tried):
            try:
                judged((smaller,), arguments)
            except Refused:
                return smaller
        return group[-1]

    return run


def _groups(batches: Iterable[Batch]) -> Iterator[Sequence[Batch]]:
    """Batches that are drawn together, as to begin a test costs more than to draw few elements."""
    every = list(batches)
    few = [one for one in every if one.tokens * one.columns <= FEW_ELEMENTS]
    yield from ([few] if few else ())
    yield from ((one,) for one in every if one not in few)


def _smaller(batch: Batch) -> Iterator[Batch]:
    """Batches of fewer tokens, by powers of two, or of one column, the smallest ones first."""
    powers = (2**power for power in range(batch.tokens.bit_length()))
    for tokens in dict.fromkeys((*powers, batch.tokens)):
        for columns in dict.fromkeys((1, batch.columns)):
            smaller = replace(batch, tokens=tokens, columns=columns)
            if smaller != batch:
                yield smaller
