"""Sizes of an operator's signature, and what axes and further axes of tensors have of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from conformance.record.clause import Clause


@dataclass(frozen=True)
class Size:
    """A size between ``least`` and ``most`` (None: any); ``TOKEN * SLOT`` is one axis of both, the
    last the fastest.

    One axis alone may have a size of its own only if ``free`` is the clause that allows it, if both
    limits are the same, or if it is the ``product`` of others, or a `Function`. If no attribute and
    no axis of a call shows the size alone, it is ``default``: the tensor that would is optional,
    and not there. It is no less than the size that it ``covers``.
    """

    name: str
    least: int = 0
    most: int | None = None
    free: Clause | None = None
    default: int | None = None
    product: Product | None = None
    covers: Axis | None = None

    def __mul__(self, other: Size) -> Product:
        return Product((self, other))

    @property
    def factors(self) -> tuple[Size, ...]:
        """Itself, as `Product.factors`."""
        return (self,)

    @property
    def follows(self) -> bool:
        """Whether it follows from other sizes."""
        return self.product is not None

    @property
    def is_tied(self) -> bool:
        """Whether one axis alone may have it: it can be but one, or a clause allows any."""
        return self.follows or self.free is not None or self.least == self.most

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that it follows from."""
        return ()


@dataclass(frozen=True)
class Product:
    """One axis of several sizes, at most ``most`` long."""

    factors: tuple[Size, ...]
    most: int | None = None

    @property
    def name(self) -> str:
        """The names of its factors, as `conformance.relations.axes.Axes` writes them."""
        return ".".join(size.name for size in self.factors)


Axis = Size | Product


@dataclass(frozen=True)
class Function(Size):
    """A size that ``made`` says of its arguments: sizes, and attributes by their names. No size but
    a function follows from it, whose axes are compared after its own. An axis of it may be longer
    if ``free`` is the clause that allows it, and 1 instead if ``or_one`` is.
    """

    made: Callable[..., int] = int
    arguments: tuple[Axis | str, ...] = ()
    or_one: Clause | None = None

    @property
    def follows(self) -> bool:
        """Whether it follows from other sizes."""
        return True

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that it follows from."""
        return tuple(one for one in self.arguments if isinstance(one, str))

    def of(self, known: Mapping[str, Any]) -> int | None:
        """The size, if all that it follows from is known."""
        found = []
        for one in self.arguments:
            names = (one,) if isinstance(one, str) else tuple(size.name for size in one.factors)
            if not known.keys() >= set(names):
                return None
            found.append(
                known[one] if isinstance(one, str) else prod(known[name] for name in names)
            )
        return self.made(*found)


def function(
    name: str,
    made: Callable[..., int],
    *arguments: Axis | str,
    free: Clause | None = None,
    least: int = 0,
    most: int | None = None,
    or_one: Clause | None = None,
) -> Function:
    """A size of that name that is ``made(*arguments)``; ``free`` and ``or_one`` are those of
    `Function`, ``least`` and ``most`` those of `Size`."""
    return Function(name, least, most, free, made=made, arguments=arguments, or_one=or_one)


@dataclass(frozen=True)
class Further:
    """Axes of a tensor after those of its shape, or if ``first`` before them, from ``fewest`` to
    ``most`` (None: any number), each ``least`` long or longer, by the clause.

    Their product is the ``size``, which is 1 without such an axis; None: nothing looks at them.
    There are as many as the tensor ``like`` has, if it is there.
    """

    clause: Clause
    most: int | None = None
    least: int = 0
    size: Size | None = None
    fewest: int = 0
    like: str = ""
    first: bool = False
