"""What JSON keeps of a call's attributes, so that each comes back as it was.

An integer has neither point nor exponent. A floating-point number has one of them, and as few
digits as give its bits back. JSON has no number that is not finite: that is one of the texts "inf",
"-inf" and "nan". The sign and the payload of a NaN are not kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from conformance.call.case import Case

NotFinite = Literal["inf", "-inf", "nan"]
Stored = int | float | NotFinite | tuple[int, ...] | None
"""An attribute in JSON; None: a null array."""

NOT_FINITE: Mapping[str, float] = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def stored(value: Any) -> Any:
    """An attribute as JSON keeps it; what is no float is as it was."""
    if not isinstance(value, float):
        return value
    return float(value) if math.isfinite(value) else str(float(value))


def loaded(value: Any) -> Any:
    """The attribute that JSON kept; a text that is no number is as it was."""
    return NOT_FINITE.get(value, value) if isinstance(value, str) else value


def all_stored(case: Case) -> dict[str, Any]:
    """The attributes of a case as JSON keeps them. Two cases have the same if these are equal."""
    return {name: stored(value) for name, value in case.attributes.items()}


def to_json(case: Case) -> Case:
    """The case for msgspec to encode, whose attributes are as JSON keeps them."""
    before = tuple(map(to_json, case.before))
    return replace(case, attributes=all_stored(case), before=before)


def of_json(case: Case) -> Case:
    """The case of one that msgspec decoded."""
    before = tuple(map(of_json, case.before))
    attributes = {name: loaded(value) for name, value in case.attributes.items()}
    return replace(case, attributes=attributes, before=before)
