"""By what a call is one of a mode: written from the clauses of the modes, for calls of any kind.

Every predicate is asked of calls that must be rejected too, so it reads only what the clause names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.call.case import Case

Asked = Callable[[Case], bool]
RANGED = ("full", "head", "tail", "middle", "equal", "reversed")


def equals(attribute: str, value: int) -> Asked:
    return lambda case: case.attributes[attribute] == value


def length(case: Case, tensor: str) -> int | None:
    """The elements of an input; None if it is null or a scalar, and so tells nothing."""
    found = case.inputs.get(tensor)
    return found.size if found is not None and found.shape else None


def cut(case: Case, tensor: str, *named_by: str) -> bool:
    """Whether a tensor has another number of rows than there are slots, by all that name them."""
    found = case.inputs.get(tensor)
    slots = {length(case, name) for name in named_by} - {None}
    return found is not None and bool(found.shape and slots) and found.shape[0] not in slots


def without_padding(mode: int = 0) -> Asked:
    return equals("drop_pad_mode", mode)


def active(case: Case) -> bool:
    return without_padding()(case) and case.attributes["active_num"] > 0


def dropless(case: Case) -> bool:
    return without_padding()(case) and case.attributes["active_num"] == 0


def quantised(rows: Mapping[str, Asked], ends: Mapping[str, int]) -> dict[str, Asked]:
    """By a mode's rows, and its end that says which quantMode it has."""

    def mode(asked: Asked, number: int) -> Asked:
        return lambda case: asked(case) and case.attributes["quant_mode"] == number

    return {
        base + end: mode(asked, number)
        for base, asked in rows.items()
        for end, number in ends.items()
    }


def ranged(name: str, indices: str, *, selects: bool, wraps: bool = False) -> Asked:
    """By how a range lies among the ranks; one that ``selects`` nothing holds the first ranks.

    If it ``wraps``, bounds below 0 count from the slots, to which both are held, and a range that
    ends before it begins is none.
    """

    def asked(case: Case) -> bool:
        given = case.attributes["rank_range"]
        if given is None or len(given) != 2 or case.attributes["padded_mode"]:
            return False
        (first, last), slots = given, length(case, indices)
        if wraps and slots is not None:
            first, last = (min(max(at + slots * (at < 0), 0), slots) for at in given)
            if last < first:
                return False
        if first >= last:
            empty = ("equal" if first == last else "reversed") if not selects else "head"
            return name == empty
        ends = {(True, True): "full", (True, False): "head", (False, True): "tail"}
        return name == ends.get((first == 0, last == slots), "middle")

    return asked


def unranged(case: Case) -> bool:
    return case.attributes["rank_range"] is None and not case.attributes["padded_mode"]


def weighted_rows() -> dict[str, Asked]:
    def uneven(case: Case) -> bool:
        return "probs" in case.inputs and cut(case, "permuted_tokens", "sorted_indices", "probs")

    return {
        "whole": lambda case: "probs" in case.inputs and not uneven(case),
        "uneven": uneven,
        "single": lambda case: "probs" not in case.inputs,
    }


def scaled(asked: Asked) -> Asked:
    return lambda case: "scales" in case.inputs and asked(case)


def padded(case: Case) -> bool:
    return bool(case.attributes["padded_mode"])
