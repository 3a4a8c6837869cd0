"""A device's profile in a few lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from rich.cells import cell_len, set_cell_size

from conformance.catalogue import device_profile as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row, within
from conformance.devices import function_traits
from conformance.devices.arithmetic_traits import words_of
from conformance.devices.device import ARCHIVE, DeviceProfile, Trait
from conformance.record.functions import ALL_UNKNOWN, Functions, FunctionTraits


def profile_lines(profile: DeviceProfile, language: str) -> Iterator[str]:
    """What is known of a device, in columns; of its arithmetic also whether that was measured on
    it.
    """
    buffer = say.UNKNOWN() if profile.ub_bytes is None else say.FOR_A_TILING(bytes=profile.ub_bytes)
    figures: dict[str, str] = {
        say.SOC(): profile.soc,
        say.VECTOR_CORES(): str(profile.vector_cores),
        say.UNIFIED_BUFFER(): buffer,
        say.CANN(): profile.cann,
        say.CAST_MODE(): _trait(profile.cast_mode),
        say.FLUSH_TO_ZERO(): _trait(profile.flush_to_zero),
        say.OVERFLOW_MODE(): _trait(profile.overflow_mode),
        say.DETERMINISM(): _trait(profile.determinism),
    }
    for name, traits in profile.functions.by_name.items():
        figures[say.FUNCTION(name=name)] = _known(traits)
    loaded = {n: one for n, one in profile.libraries.items() if not n.endswith(ARCHIVE)}
    for name, library in loaded.items():
        figures[name] = say.LIBRARY(path=library.path, sha256=library.sha256[:16])
    named = [(within(name, language), within(text, language)) for name, text in figures.items()]
    width = max(cell_len(name) for name, _ in named)
    yield from (f"{set_cell_size(name, width)}  {text}" for name, text in named)


def function_lines(found: Iterable[tuple[str, FunctionTraits | str]]) -> Iterator[str]:
    """What was probed of each function, or why it was not."""
    for name, traits in found:
        told = (
            say.NOT_PROBED(reason=traits)
            if isinstance(traits, str)
            else say.PROBED(value=function_traits.words_of(traits))
        )
        yield say.FUNCTION_PROBED(name=name, traits=told)


def functions_in(profile: Mapping[str, Any]) -> Functions | None:
    """The functions in a profile of the evidence; None if it tells nothing that is sound."""
    try:
        return msgspec.convert(profile.get("functions", {}), Functions)
    except (msgspec.ValidationError, ValueError):
        return None


def functions_line(functions: Functions) -> str:
    """What is known of functions in a line, "" if nothing is."""
    known = functions.by_name.items()
    if functions == ALL_UNKNOWN:
        return ""
    each = [say.FUNCTION_KNOWN(name=name, traits=_known(traits)) for name, traits in known]
    return say.FUNCTIONS_KNOWN(each=row(each, SEMICOLON))


def functions_lines(functions: Functions) -> Iterator[str]:
    """What was probed of functions, and why others were not; none if nobody tried."""
    known = functions.by_name
    if any(traits.origin == "probed" for traits in known.values()):
        yield functions_line(functions)
    not_known = {name: one.source for name, one in known.items() if one.origin == "unknown"}
    for reason in dict.fromkeys(filter(None, not_known.values())):
        names = tuple(name for name, its in not_known.items() if its == reason)
        yield say.UNKNOWN_FUNCTIONS(names=names, reason=reason)


def _known(traits: FunctionTraits) -> str:
    words = function_traits.words_of(traits)
    if traits.origin in ("unused", "unknown"):
        return words
    return (say.PROBED if traits.origin == "probed" else say.DECLARED)(value=words)


def _trait(trait: Trait) -> str:
    how = say.PROBED if trait.probed else say.DECLARED
    return how(value=words_of(trait))
