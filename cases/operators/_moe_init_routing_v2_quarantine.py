"""Calls of MoeInitRoutingV2 on which sources differ, or that they leave open."""

from __future__ import annotations

from cases.operators._moe_init_routing_v2_call import BEFORE_FLAG, COUNTS_FLAG, call
from cases.operators._moe_init_routing_v2_examples import EXPERTS
from cases.operators._moe_init_routing_v2_rejections import of_three
from cases.operators._moe_init_routing_v2_sources import HOST, KERNELS, README, SORT
from cases.operators._token_permute_examples import ADDRESSED
from conformance.record.clause import Clause, SourceClass, document
from conformance.record.operator import Quarantine
from conformance.record.variations import with_attributes


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open."""
    silent = "{} takes the flag for 0 there; the document says nothing, and could forbid it"
    room = of_three("drop_pad", capacity=2, counts="given")
    return (
        Quarantine(
            "a capacity of all tokens",
            of_three("drop_pad", capacity=3),
            document(
                "there are more tokens than the capacity of an expert; the host takes as many",
                f"{README}, constraints; {HOST}",
            ),
        ),
        Quarantine(
            "counts of drop/pad, which are of dropless modes",
            with_attributes(room, **{COUNTS_FLAG: 2}),
            _open(silent.format("the host"), HOST),
        ),
        Quarantine(
            "counts before capacity without a capacity",
            with_attributes(of_three("dropless", counts="given"), **{BEFORE_FLAG: 1}),
            _open(silent.format("the host"), HOST),
        ),
        Quarantine(
            "neighbouring experts beyond 2^24",
            call(
                "dropless",
                "float16",
                x=(4, 8),
                top_k=1,
                experts=(2**24 + 1, 2**24, 5, 2**24 + 3),
                fill=ADDRESSED,
            ),
            _open("experts are sorted as fp32, where they are equal: any order of theirs", SORT),
        ),
        Quarantine(
            "x without columns",
            call(
                "dropless",
                "float32",
                x=(3, 0),
                top_k=2,
                experts=EXPERTS,
                expert_num=4,
                counts="count",
            ),
            _open("some outputs are empty and others are not: copies of length 0", KERNELS),
        ),
        Quarantine(
            "no tokens, and counts of them",
            call("dropless", "float16", x=(0, 8), top_k=2, expert_num=4, counts="count"),
            _open("some outputs are empty and others are not: counts of no slots", KERNELS),
        ),
        Quarantine(
            "top_k is 0",
            call("dropless", "float32", x=(3, 4), top_k=0, expert_num=4, counts="cumsum"),
            _open("no slots, and so no rows, but counts of them", KERNELS),
        ),
    )


def _open(text: str, source: str) -> Clause:
    return Clause(text, f"{source}, inferred", SourceClass.INFERRED)
