"""What templates cost is read off the lines of evidence, the dearest first."""

from __future__ import annotations

from msgspec.structs import replace

from tests.conformance.evidence.test_summary import line
from tests.conformance.template_costs import costs


def test_the_seconds_of_a_template_are_added_up_and_a_relation_is_told_by_its_name() -> None:
    item = "test_relations[sums-layout-plain-int32]"
    related = replace(line("b"), template="test_relations", item=item, seconds=3.0)
    values = [replace(line("a"), seconds=seconds) for seconds in (0.5, 1.5)]
    first, second = costs([*values, related])
    assert str(first).split() == ["layout", "1", "3.0", "s", "3000.0", "ms", "each"]
    assert (second.template, second.verdicts, second.seconds) == ("values", 2, 2.0)
