"""A relation: a law of several calls' results, and what a device is asked to check it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import relations as say
from conformance.record.operator import REFERENCE

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from conformance.call.case import Case
    from conformance.record.clause import Clause

DEFINEDNESS, DETERMINISM, LAYOUT = "definedness", "determinism", "layout"
"""The relations that every operator keeps (conformance/relations)."""

Outputs = Mapping[str, NDArray[np.generic]]
Run = Callable[["Case"], Outputs]
"""Makes one more call, of any operator on record, and returns its outputs; a call that fails ends
the relation there."""


@dataclass(frozen=True)
class Relation:
    """A law that the results of calls keep, of which none is compared with a reference.

    ``broken(case, outputs, run)`` yields a sentence for everything that breaks it: ``outputs`` are
    those of ``case`` by name, which ``prepared`` has made from a drawn one (None: as drawn);
    ``run(other)`` makes another call and returns its outputs by name. A run asks for relations with
    ``--oracle both`` or ``relations``. ``modes`` and ``dtypes`` are those of the operator in which
    it holds; none: all. ``beside`` are the other operators that it calls. ``far`` says that
    row-sparse cases are its, too: it looks at no row of a tensor but those that are there.
    ``always`` is one that is asked beside the reference, too, as that cannot tell what it tells.
    ``varied(case)`` draws, for a case that the record has drawn, one that differs in what no record
    draws.
    """

    name: str
    clause: Clause
    broken: Callable[[Case, Outputs, Run], Iterable[str]]
    prepared: Callable[[Case], Case | None] | None = None
    modes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    far: bool = False
    always: bool = False
    varied: Callable[[Case], SearchStrategy[Case]] | None = None

    def holds_in(self, mode: str, dtype: str) -> bool:
        """Whether it is one of a mode and a data type."""
        return mode in (self.modes or (mode,)) and dtype in (self.dtypes or (dtype,))

    def asked_by(self, oracle: str) -> bool:
        """Whether a run that judges by an oracle asks for it."""
        return self.always or oracle != REFERENCE

    def case(self, drawn: Case) -> Case | None:
        """The call that the relation starts from; None where it has nothing to say of a case."""
        if not self.far and any(tensor.rows is not None for tensor in drawn.inputs.values()):
            return None
        return drawn if self.prepared is None else self.prepared(drawn)


def difference(
    name: str,
    seen: NDArray[Any],
    due: NDArray[Any],
    meaning: str,
    *,
    where: str = "",
    sums: bool = False,
) -> Iterable[str]:
    """A sentence where two arrays differ in a bit; ``meaning`` says what ``due`` is, ``where`` what
    ``seen`` is.

    Of ``sums`` both zeros are one value, and so are all NaNs.
    """
    if seen.shape != due.shape:
        shapes = {"seen": str(seen.shape), "due": str(due.shape)}
        yield say.OTHER_SHAPE(name=name, meaning=meaning, **shapes)
        return
    unequal = patterns(seen, sums=sums) != patterns(due, sums=sums)
    if not unequal.any():
        return
    first = tuple(int(index) for index in np.argwhere(unequal)[0])
    told: dict[str, Any] = {"name": name, "count": int(np.count_nonzero(unequal))}
    told |= {"size": seen.size, "element": f"{name}[{', '.join(map(str, first))}]"}
    told |= {"seen": _shown(seen[first]), "due": _shown(due[first]), "meaning": meaning}
    yield say.DIFFERENT_THERE(where=where, **told) if where else say.DIFFERENT(**told)


def patterns(array: NDArray[Any], *, sums: bool = False) -> NDArray[Any]:
    """Storage bits; of sums all zeros have those of +0 and all NaNs the same ones."""
    bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    if sums and array.dtype.kind not in "iub":
        wide = array.astype(np.float32)
        bits = np.where(wide == 0, 0, np.where(np.isnan(wide), np.iinfo(bits.dtype).max, bits))
    return np.asarray(bits)


def _shown(value: Any) -> str:
    if value.dtype.kind in "iub":
        return str(value)
    return f"{float(value)!r} (0x{patterns(np.asarray(value)).item():0{2 * value.itemsize}x})"
