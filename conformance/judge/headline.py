"""The headline of a verdict: one sentence about a call."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.catalogue import relate
from conformance.catalogue import verdict as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import Said, row

LAST = {say.OF_CALL: "what", say.BECAUSE: "reason", relate.OF_A_FURTHER_CALL: "what"}
"""The argument with which a message ends."""


def failed(call: Sequence[str], problems: Sequence[str]) -> str:
    """What is wrong with a call, which is told by its operator, mode, dtype and perhaps name."""
    return say.OF_CALL(call=tuple(call), what=say.SENTENCE(what=row(problems, SEMICOLON)))


def parted(headline: str) -> tuple[str, str]:
    """The call of a headline, and what is said of it."""
    call, _, what = headline.partition(": ")
    if isinstance(headline, Said) and headline.message is say.OF_CALL:
        what = headline.arguments["what"]
    return call, what


def unended(sentence: str) -> str:
    """A sentence without its full stop; in English alone if it is a part of a message's words."""
    if not isinstance(sentence, Said):
        return sentence.removesuffix(".")
    if sentence.parts:
        return row([*sentence.parts[:-1], unended(sentence.parts[-1])])
    if sentence.message is say.SENTENCE:
        what: str = sentence.arguments["what"]
        return what
    if sentence.message in LAST:
        last = LAST[sentence.message]
        ends = {last: unended(sentence.arguments[last])}
        return sentence.message(**{**sentence.arguments, **ends})
    return sentence if not sentence.endswith(".") else sentence.removesuffix(".")
