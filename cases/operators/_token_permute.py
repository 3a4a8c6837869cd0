"""What tells operators that sort slots and copy rows from one another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._token_permute_limits import CopyUb
from cases.operators._token_permute_sizes import MOST_TOP_K, VendorLines
from conformance.call.case import Attribute, Case, Machine
from conformance.draw.built import built
from conformance.draw.values import MOVED, MOVED_FIRST, SEEDS, fills_with
from conformance.record.derive.calls import Fields, Sizes
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Signature
from conformance.values.fill import Fill

Call = Callable[..., Case]
Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Windows:
    """Which ranks the calls of an operator keep, as levels of every mode that sorts.

    * ``levels``: of each mode; the first one is shown by every case of it.
    * ``least_slots``: the fewest slots in which a level of a mode is told from others.
    * ``attributes``: what a call of mode, level and slots says of them; two more numbers choose
      among the calls that show the level.
    * ``shown``: the levels that a case shows.
    * ``least_tokens``: of each mode that needs more than one.
    * ``axis``: what the levels are called among the cells.
    """

    levels: Mapping[str, tuple[str, ...]]
    least_slots: Callable[[str, str], int]
    attributes: Callable[[str, str, int, int, int], dict[str, Any]]
    shown: Callable[[Case], set[str]]
    least_tokens: Mapping[str, int] = field(default_factory=dict)
    axis: str = "range"

    def fewest_tokens(self, mode: str, level: str, top_k: int, slots: int = 1) -> int:
        """The fewest tokens of ``top_k`` slots that show a level and have so many slots."""
        least = max(slots, self.least_slots(mode, level))
        return max(self.least_tokens.get(mode, 1), -(-least // top_k))


@dataclass(frozen=True, eq=False)
class Choice:
    """What else calls of an operator say: an argument of its ``call``, and an axis of its cells.

    ``levels`` are those of each mode, of which only one is no axis; ``shown`` are those that a case
    shows.
    """

    name: str
    levels: Mapping[str, tuple[str, ...]]
    shown: Callable[[Case], Collection[str]]


def probs_given(probs: Fill | Shape | None) -> Fields:
    """The tensors of probabilities, if they are given, by a recipe or storage bits."""
    if probs is None:
        return {}
    listed = {"fill": probs} if isinstance(probs, Fill) else {"values": probs}
    return {"probs": listed, "permute_probs": {}}


def sorting_call(signature: Signature) -> Call:
    """What makes a case that sorts; ``top_k`` None: indices of one axis, one for each token.

    ``indices`` None are zeros, ``probs`` a recipe or storage bits. ``held`` lists the only rows of
    tokens that exist.
    """

    def made(
        mode: str,
        dtype: str,
        *,
        tokens: Shape,
        indices: Shape | None = None,
        top_k: int | None = None,
        index_dtype: str = "int32",
        probs: Fill | Shape | None = None,
        fill: Fill | None = None,
        values: Shape | None = None,
        held: Shape | None = None,
        machine: Machine | None = None,
        **attributes: Attribute,
    ) -> Case:
        slots = () if top_k is None else (top_k,)
        sizes: Sizes = {"token": tokens[0], "slot": slots, "hidden": tokens[1:]}
        given: Fields = {
            "tokens": {"values": values, "fill": fill, "rows": held},
            "indices": {"dtype": index_dtype, "values": indices},
            **probs_given(probs),
        }
        return call_of(signature, mode, dtype, sizes, given, machine=machine, **attributes)

    return made


def _any_keys(mode: str, keys: str, level: str, *chosen: str) -> bool:
    return True


def _copied(mode: str, ub_bytes: int, top_k: int, element_bytes: int, probs: bool) -> int:
    return CopyUb(ub_bytes, top_k, element_bytes, probs).columns


def one_by_one(mode: str, ub_bytes: int, top_k: int, element_bytes: int, probs: bool) -> int:
    """The columns that a kernel takes at once that fetches the row of each slot by itself."""
    return _copied(mode, ub_bytes, 1, element_bytes, probs)


def _all_levels(mode: str) -> Mapping[str, tuple[str, ...]]:
    return {}


@dataclass(frozen=True, eq=False)
class TokenPermute:
    """One operator: how it is called, what it keeps, and what the vendor's tiling of it does.

    * ``call``: makes a case of mode, dtype, sizes and what the windows say.
    * ``probs``: whether slots may have probabilities, too.
    * ``vendor``: what the vendor's tiling draws its lines by.
    * ``batches``: whether sources tell how the vendor takes tokens together and rows in parts.
    * ``edge_modes``: modes in which the edges of both tilings are met; all share one kernel.
    * ``tokens``, ``indices``: its names of the rows that are copied and of the keys.
    * ``flat``: whether keys may have one axis; ``index_dtypes``: what they may be.
    * ``choices``: more of its arguments; ``keys_with``: whether a pattern of keys goes with a level
      of a mode's window and with these of the choices that are an axis in the mode.
    * ``levels``: of axes of which a mode does not have all levels, by the axis; the families of
      values that another one has are alone in a recipe.
    * ``wide``: whether keys may be as wide as their data type.
    * ``columns``: of a row that the project's own kernel takes at once, in a mode, of a buffer,
      top_k, bytes of an element, and whether there are probabilities; that of copies if it is the
      default, which take tokens together, too.
    """

    call: Call
    windows: Windows
    probs: bool
    vendor: VendorLines
    batches: bool
    edge_modes: tuple[str, ...]
    tokens: str = "tokens"
    indices: str = "indices"
    flat: bool = True
    index_dtypes: tuple[str, ...] = ("int32", "int64")
    choices: tuple[Choice, ...] = ()
    keys_with: Callable[..., bool] = _any_keys
    levels: Callable[[str], Mapping[str, tuple[str, ...]]] = _all_levels
    wide: bool = True
    columns: Callable[[str, int, int, int, bool], int] = _copied

    @property
    def copies(self) -> bool:
        """Whether rows are cut as copies are."""
        return self.columns in (_copied, one_by_one)

    @property
    def top_ks(self) -> tuple[int, ...]:
        """The slots of a token with which edges meet a tile's columns, the fewest first."""
        return (1,) if self.columns is one_by_one else (2, MOST_TOP_K)

    def axes_of(self, mode: str) -> tuple[Choice, ...]:
        """The choices of which a mode has several levels."""
        return tuple(one for one in self.choices if len(one.levels[mode]) > 1)

    def of_axis(self, mode: str, axis: str, every: tuple[str, ...]) -> tuple[str, ...]:
        """The levels of an axis that a mode has, ``every`` one if nothing is said of it."""
        return self.levels(mode).get(axis, every)

    def fills(self, mode: str) -> SearchStrategy[Fill]:
        """Recipes for the rows that are copied."""
        families = self.of_axis(mode, FAMILY, MOVED_FIRST)
        return MOVED if families == MOVED_FIRST else _alone(families)

    def fills_with(self, mode: str, family: str, columns: int) -> SearchStrategy[Fill]:
        """Recipes of which this family is sure to have a column."""
        if self.of_axis(mode, FAMILY, MOVED_FIRST) == MOVED_FIRST:
            return fills_with(family, 1, columns, MOVED_FIRST)
        return _alone((family,))


FAMILY = "family"
"""The axis of the values that are copied."""


def _alone(families: tuple[str, ...]) -> SearchStrategy[Fill]:
    return built(Fill, st.sampled_from([(name,) for name in families]), SEEDS)
