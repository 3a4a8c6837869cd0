"""A run tells how many cases reached each branch of a kernel, and which branches none did."""

from __future__ import annotations

import msgspec

from conformance.evidence.lines import VerdictLine
from conformance.evidence.summary import COUNTED, Evidence
from conformance.evidence.tiling_keys import asked_in, tiling_keys
from conformance.text.terminal import tiling_key_lines
from tests.conformance.evidence.test_summary import line


def keyed(digest: str, key: int | None, phase: str = "generate", **changed: str) -> VerdictLine:
    return msgspec.structs.replace(line(digest, phase), tiling_key=key, **changed)


def test_distinct_cases_are_counted_by_key() -> None:
    """Those that shrinking makes are not, nor what no branch was chosen for."""
    lines = [
        keyed("a", 20),
        keyed("a", 20),
        keyed("b", 20),
        keyed("c", 3),
        keyed("d", 5, "shrink"),
        keyed("e", 6, outcome="not possible here"),
        keyed("f", 8, judged_as="quarantine"),
        keyed("g", None),
    ]
    (told,) = tiling_keys(lines, {}, COUNTED)
    assert list(told.cases.items()) == [(3, 1), (20, 2)]
    assert (told.unreached, told.unknown) == ([], []), "as nobody says what the kernel asks for"


def test_the_same_inputs_on_another_machine_may_reach_another_key() -> None:
    (told,) = tiling_keys([keyed("a", 1), keyed("a", 2)], {}, COUNTED)
    assert told.cases == {1: 1, 2: 1}


def test_devices_that_tell_no_key_leave_nothing() -> None:
    assert tiling_keys([keyed("a", None)], {"copying": (1,)}, COUNTED) == []


def test_keys_without_a_case_and_keys_without_a_branch_are_named() -> None:
    lines = [keyed("a", 1), keyed("b", 7)]
    evidence = Evidence(tiling_keys=tiling_keys(lines, {line("a").operator: (1, 2, 30)}, COUNTED))
    assert list(tiling_key_lines(evidence)) == [
        f"cases by tiling key: {line('a').operator}: 1: 1, 7: 1",
        "  1 of 3 keys of the kernel; no case: 2, 30",
        "  keys that the kernel does not ask for: 7",
    ]
    assert list(tiling_key_lines(Evidence())) == []


def test_evidence_keeps_them_and_a_merged_run_asks_for_the_same() -> None:
    evidence = Evidence(tiling_keys=tiling_keys([keyed("a", 2**64 - 1)], {}, COUNTED))
    (back,) = msgspec.json.decode(msgspec.json.encode(evidence), type=Evidence).tiling_keys
    assert back.cases == {2**64 - 1: 1}
    asked = {line("a").operator: (1, 2)}
    assert asked_in(tiling_keys([keyed("a", 1)], asked, COUNTED)) == asked
