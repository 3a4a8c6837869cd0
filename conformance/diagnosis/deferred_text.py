"""Sentences that are worked out when somebody reads them.

Hypothesis judges hundreds of ever smaller cases, and the text of one of them is read. What a wrong
sum may come from takes longer to work out than that it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import overload

__all__ = ["Deferred"]


class Deferred(Sequence[str]):
    """The sentences that ``work_out`` gives; it is called once, at the first look at them.

    Equal to a sequence of the same sentences.
    """

    def __init__(self, work_out: Callable[[], Sequence[str]]) -> None:
        self._work_out = work_out

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What ``work_out`` gave."""
        return tuple(self._work_out())

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self.sentences[place]

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[str]:
        return iter(self.sentences)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.sentences == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.sentences)
