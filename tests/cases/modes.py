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


def ranged(name: str, indices: str, *, selects: bool) -> Asked:
    """By how a range lies among the ranks; one that ``selects`` nothing holds the first ranks."""

    def asked(case: Case) -> bool:
        given = case.attributes["rank_range"]
        if given is None or len(given) != 2 or case.attributes["padded_mode"]:
            return False
        (first, last), slots = given, length(case, indices)
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


MODES: Mapping[str, Mapping[str, Asked]] = {
    "moe_finalize_routing_v2": {
        name: without_padding(number)
        for number, name in enumerate(
            ("dropless_columns", "drop_pad_columns", "dropless_rows", "drop_pad_rows")
        )
    },
    "moe_finalize_routing_v2_grad": {
        "dropless": scaled(dropless),
        "active": scaled(active),
        "drop_pad": scaled(without_padding(1)),
        "single": lambda case: "scales" not in case.inputs,
    },
    "moe_init_routing_v2": {
        "dropless": dropless,
        "active": active,
        "drop_pad": without_padding(1),
    },
    "moe_init_routing_v2_grad": {
        "dropless": dropless,
        "active": active,
        "drop_pad": without_padding(1),
    },
    "moe_token_permute": {
        "whole": equals("num_out_tokens", 0),
        "first": lambda case: case.attributes["num_out_tokens"] > 0,
        "without_last": lambda case: case.attributes["num_out_tokens"] < 0,
    },
    "moe_token_permute_grad": {
        "whole": lambda case: (
            not padded(case) and not cut(case, "permuted_output_grad", "sorted_indices")
        ),
        "uneven": lambda case: (
            not padded(case) and cut(case, "permuted_output_grad", "sorted_indices")
        ),
        "padded": padded,
    },
    "moe_token_permute_with_ep": {
        **{name: ranged(name, "indices", selects=False) for name in RANGED},
        "no_range": lambda case: unranged(case) and case.attributes["num_out_tokens"] == 0,
        "num_out_tokens": lambda case: unranged(case) and case.attributes["num_out_tokens"] != 0,
        "padded": padded,
    },
    "moe_token_permute_with_ep_grad": {
        name: ranged(name, "sorted_indices", selects=True) for name in RANGED[:4]
    },
    "moe_token_permute_with_routing_map": {
        "dropless": equals("drop_and_pad", 0),
        "drop_pad": equals("drop_and_pad", 1),
    },
    "moe_token_permute_with_routing_map_grad": {
        "dropless": equals("drop_and_pad", 0),
        "drop_pad": equals("drop_and_pad", 1),
    },
    "moe_token_unpermute": weighted_rows(),
    "moe_token_unpermute_grad": weighted_rows(),
}

IN_NONE = {
    "moe_finalize_routing_v2": (
        *(f"drop_pad_mode is {n}, dropless_columns" for n in ("-1", "4", "2^32 + 0")),
        *(f"drop_pad_mode is {n}, drop_pad_rows" for n in ("-1", "-3", "4", "2^32 + 3")),
    ),
    "moe_finalize_routing_v2_grad": (
        *(
            f"drop_pad_mode is {n}, {mode}"
            for n in ("-1", "2")
            for mode in ("dropless", "active", "drop_pad")
        ),
        *(f"drop_pad_mode is 2^32 + {n}" for n in ("0, dropless", "0, active", "1, drop_pad")),
        "activeNum -1",
    ),
    "moe_init_routing_v2": (
        *(
            f"drop_pad_mode is {n}, {mode}"
            for n in ("-1", "2")
            for mode in ("dropless", "active", "drop_pad")
        ),
        *(f"drop_pad_mode is 2^32 + {n}" for n in ("0, dropless", "0, active", "1, drop_pad")),
        "active_num is -1, dropless",
    ),
    "moe_init_routing_v2_grad": (
        *(
            f"drop_pad_mode is {number}, {mode}"
            for number in ("-1", "2")
            for mode in ("dropless", "active", "drop_pad")
        ),
        *(f"drop_pad_mode is 2^32 + {n}" for n in ("0, dropless", "0, active", "1, drop_pad")),
        *(f"active_num is {n}" for n in ("-1, dropless", "-6, active")),
    ),
    "moe_token_permute_with_ep": (
        *(f"rank_range is {ends}, middle" for ends in ("()", "(1)", "(1, 5, 0)", "(1, 4, 0)")),
    ),
    "moe_token_permute_with_ep_grad": (
        "padded_mode is 1, middle",
        "padded_mode is true, no probs",
        *(f"rank_range is {ends}, middle" for ends in ("()", "(2)", "(2, 7, 0)")),
        *(f"rank_range is {ends}, middle" for ends in ("(3)", "(3, 6, 0)")),
        "no range",
    ),
}
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""

AT_THE_BORDER = {"moe_token_permute_with_ep_grad": ("head", "tail", "middle")}
"""Modes whose drawn cases may have no slot outside the range, or on one side of it alone."""

FREELY_AT_THE_BORDER = {
    name: ("uneven",)
    for name in ("moe_token_permute_grad", "moe_token_unpermute", "moe_token_unpermute_grad")
}
"""Modes whose free draws, of no row and no edge, may have a row for every slot."""
