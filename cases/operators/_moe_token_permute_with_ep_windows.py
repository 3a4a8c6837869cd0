"""Which ranks a call of MoeTokenPermuteWithEp asks for: the levels of every mode."""

from __future__ import annotations

from typing import Any

from cases.operators._token_permute import Windows
from conformance.call.case import Case
from reference.moe_token_permute_with_ep import Range, assigned, window

WINDOWS = {
    "full": ("all",),
    "head": ("any", "one row", "all but one"),
    "tail": ("any", "one row", "all but one"),
    "middle": ("any", "one row", "all but both ends"),
    "equal": ("any", "at the first", "at the end"),
    "reversed": ("any", "nothing kept", "nothing open"),
    "no_range": ("all",),
    "num_out_tokens": ("any", "all", "too many", "negative", "no rows"),
}
"""Levels of each mode that sorts. ``nothing kept``: no rank is left from the start on, so that all
rows are open; ``nothing open``: every row has its rank."""

LEAST_SLOTS = {"head": 2, "tail": 2, "middle": 3, "reversed": 2}
"""The fewest slots of a mode, where it needs more than one."""


def mode_of(start: int, end: int, slots: int) -> str:
    """The mode of a call that asks for the ranks from ``start`` to ``end`` of so many."""
    if start >= end:
        return "equal" if start == end else "reversed"
    if start == 0:
        return "full" if end == slots else "head"
    return "tail" if end == slots else "middle"


def least_slots(mode: str, level: str) -> int:
    """The fewest slots in which a level of a mode is told from others."""
    return 2 if level == "negative" else LEAST_SLOTS.get(mode, 1)


def window_at(
    mode: str, level: str, slots: int, first: int, second: int
) -> tuple[Range | None, int]:
    """A range and the number of tokens that show a level; two numbers choose among those that do.

    Where there is a range, the number of tokens has no effect and may be anything.
    """
    if mode == "no_range":
        return None, 0
    if mode == "num_out_tokens":
        return None, _number(level, slots, first)
    ignored = (0, 6, -1, slots)[second % 4]
    return _range(mode, level, slots, first, second), ignored


def windows_shown(mode: str, rank_range: Range | None, num_out_tokens: int, slots: int) -> set[str]:
    """The levels that a call of a mode shows."""
    shown = {WINDOWS[mode][0]}
    start, rows = window(slots, rank_range, num_out_tokens)
    shows = {
        "one row": rows == 1,
        "all but one": rows == slots - 1,
        "all but both ends": rows == slots - 2,
        "at the first": rank_range == (0, 0),
        "at the end": rank_range == (slots, slots),
        "nothing kept": not assigned(slots, start, rows),
        "nothing open": assigned(slots, start, rows) == rows,
        "all": rows == slots,
        "too many": num_out_tokens > slots,
        "negative": num_out_tokens < 0 < rows,
        "no rows": rows == 0,
    }
    return shown | {level for level in WINDOWS[mode] if shows.get(level)}


def _range(mode: str, level: str, slots: int, first: int, second: int) -> Range:
    """A range of ranks; `first` and `second` are taken modulo what there is to choose from."""
    inner = 1 + first % max(1, slots - 1)
    if mode == "full":
        return 0, slots
    if mode == "head":
        return 0, {"one row": 1, "all but one": slots - 1}.get(level, inner)
    if mode == "tail":
        return {"one row": slots - 1, "all but one": 1}.get(level, inner), slots
    if mode == "equal":
        both = {"at the first": 0, "at the end": slots}.get(level, first % (slots + 1))
        return both, both
    if mode == "middle":
        start = 1 + first % (slots - 2)
        end = start + 1 + second % (slots - 1 - start)
        return {"one row": (start, start + 1), "all but both ends": (1, slots - 1)}.get(
            level, (start, end)
        )
    if level == "nothing kept":
        return slots, inner
    if level == "nothing open":
        return inner, 0
    end = second % slots
    # Never from the last rank to 0: that makes no rows, and no source says that it is meant.
    starts = slots - end if end else slots - 1
    return end + 1 + first % starts, end


def _number(level: str, slots: int, first: int) -> int:
    """A number of tokens."""
    return {
        "all": slots,
        "too many": slots + 1 + first % 9,
        "negative": -1 - first % max(1, slots - 1),
        "no rows": -slots - first % 3,
    }.get(level, 1 + first % slots)


def _attributes(mode: str, level: str, slots: int, first: int, second: int) -> dict[str, Any]:
    rank_range, num_out_tokens = window_at(mode, level, slots, first, second)
    return {"rank_range": rank_range, "num_out_tokens": num_out_tokens}


def _shown(case: Case) -> set[str]:
    asked = case.attributes["rank_range"], case.attributes["num_out_tokens"]
    return windows_shown(case.mode, *asked, case.inputs["indices"].size)


RANGES = Windows(WINDOWS, least_slots, _attributes, _shown)
