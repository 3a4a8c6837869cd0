"""A toy record of which one mode is called on an NPU up to CANN 8.5 only."""

from dataclasses import replace

from hypothesis import strategies as st

from conformance.call.case import Case
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Example, Mode
from conformance.record.versions import Versions

from . import copying

SINCE = Clause("later ones write beyond y", "toy sources", SourceClass.SOURCE_READ)


def renamed(case: Case) -> Case:
    return replace(case, operator="by_version")


def cases(mode: str, dtype: str) -> st.SearchStrategy[Case]:
    return copying.cases(mode, dtype).map(renamed)


OPERATOR = replace(
    copying.OPERATOR,
    name="by_version",
    title="ByVersion",
    aclnn="aclnnByVersion",
    modes=(
        Mode("plain", copying.RULE),
        Mode("careful", copying.RULE, versions=Versions(SINCE, until="8.5")),
    ),
    cases=cases,
    examples=(
        Example("three", renamed(copying.call("plain", "int32", (1, 2, 3))), "toy document"),
        Example("two", renamed(copying.call("careful", "int32", (1, 2))), "toy document"),
    ),
    rejections=(),
    quarantine=(),
)
