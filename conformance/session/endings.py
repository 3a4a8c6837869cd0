"""How an attempt or an item ends, other than well."""

from __future__ import annotations

from conformance.errors import text_of
from conformance.judge.verdict import Verdict


class Refused(AssertionError):  # noqa: N818 - a verdict's word, and what a person reads
    """A verdict that is not ok; its text is the verdict's, put together when somebody reads it."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        return str(self.verdict)


class NothingJudged(AssertionError):  # noqa: N818
    """A template ended without a verdict, so its success would mean nothing."""


class OutOfTime(BaseException):
    """The budget is spent: the item ends here, judged by what it has judged.

    No Exception, so that Hypothesis takes it for the end and not for a failure to make smaller.
    """


class Spent(BaseException):
    """A refused sequence has been made smaller for as long as it may: the item goes on with what
    it has. No Exception, as above: Hypothesis would go on drawing sequences that nobody makes.
    """


class Lost(BaseException):
    """The device is lost, or the evidence cannot be written: ``cause`` says it. No Exception, as
    above: Hypothesis would run the case again, and call a record that went well before flaky.
    """

    def __init__(self, cause: Exception) -> None:
        super().__init__(text_of(cause))
        self.cause = cause


class BrokenRecord(BaseException):
    """A record contradicts itself, or code of it fails. No Exception, as above."""
