"""A host tiling cuts every call so that all is done once and fits, and changes at its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.devices.messages import DTYPES
from conformance.record.call_rules import Limit
from conformance.record.operator import Operator
from tests.kernels.host_tilings import ACCEPTED, FP32, UB_910_93, UB_910B, HostTiling, host_tiling
from tests.kernels.tilings.description import OPERATORS, Axis, Description, Sizes, description
from tests.kernels.tilings.work import Work
from tests.slow import slow_but

EACH = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
TOO_SMALL = re.compile(r"the unified buffer is \d+ bytes; it must be (\d+) bytes")
UBS = (768, 4096, 20_000, UB_910B, UB_910_93)
"""Buffers for limits that a record does not state."""

HUGE_UBS = (1 << 20, 1 << 22)
"""In which only the most that an instruction takes is a limit."""


def cut(tiling: HostTiling, of: Description, sizes: Sizes) -> Work | str:
    """What the tiling of such a call says, all of which must hold; or that the buffer is small."""
    status, data, reason = tiling.cut(of.call(sizes))
    if status != ACCEPTED:
        assert TOO_SMALL.match(reason), (reason, sizes)
        return reason
    work = of.work(sizes, data)
    assert (work.broken(sizes.cores, sizes.ub), reason) == ([], ""), sizes
    return work


def drawn(of: Description) -> st.SearchStrategy[Sizes]:
    def either(least: int, few: int, many: int) -> st.SearchStrategy[int]:
        return st.one_of(st.integers(least, few), st.integers(least, many))

    return st.builds(
        Sizes,
        kind=st.sampled_from(of.kinds),
        tokens=either(1, 200, of.most_tokens),
        top_k=either(1, 9, 512),
        hidden=either(of.least_hidden, 70, 400_000),
        experts=either(1, 70, 20_000),
        places=either(1, 9, 300),
        variant=st.booleans(),
        dtype=st.sampled_from(of.dtypes),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(
            *(st.integers(96, 8192), st.integers(96, UB_910_93)),
            st.sampled_from([UB_910B, UB_910_93, *HUGE_UBS]),
        ),
    )


@EACH
@pytest.mark.parametrize("examples", slow_but([100], [100, 500]))
def test_all_is_done_exactly_once_and_fits_the_unified_buffer(
    operator: Operator, examples: int
) -> None:
    of, tiling = description(operator), host_tiling(operator.name, operator.title)

    @settings(max_examples=examples, deadline=None)
    @given(drawn(of))
    def check(sizes: Sizes) -> None:
        sizes = of.fit(sizes)
        found = cut(tiling, of, sizes)
        if isinstance(found, str):
            told = TOO_SMALL.match(found)
            assert told
            assert int(told[1]) > sizes.ub
            assert isinstance(cut(tiling, of, replace(sizes, ub=int(told[1]))), Work)

    check()


def limits(operator: Operator, of: Description, tiling: HostTiling) -> Iterator[tuple[Limit, int]]:
    """Those of the record, each with its dtype, and what the tiling exports beside them.

    That is what the record does not state, of other dtypes, and in buffers beyond those of chips.
    """
    for one in operator.limits:
        yield one, DTYPES[one.dtype][0]
    stated = dict.fromkeys(one.axis for one in operator.limits)
    known = {DTYPES[one.dtype][0] for one in operator.limits}
    others = [*product(of.more_limits, of.dtypes), *product(stated, set(of.dtypes) - known)]
    asked = [*product(others, UBS), *product(product(stated, (FP32,)), HUGE_UBS)]
    for ((name, dtype), ub), hidden in product(asked, (1, 100)):
        value = tiling.limit(name, 1, dtype, cores=3, ub=ub, hidden=hidden)
        yield Limit(name, value, 1, "", 3, ub, hidden), dtype


@EACH
def test_a_limit_is_the_last_size_of_its_kind(operator: Operator) -> None:
    """Whether the tiling exports the record's limits, tests/cases/test_limits_of_tilings.py asks.

    A limit may be that of sizes that no call has: as many experts as fit, but fewer than topK.
    """
    of, tiling = description(operator), host_tiling(operator.name, operator.title)
    reached = {
        one.axis: True
        for one, dtype in limits(operator, of, tiling)
        if assert_last(tiling, of, one, dtype)
    }
    assert sorted(reached) == of.limits_of(operator)


def assert_last(tiling: HostTiling, of: Description, limit: Limit, dtype: int) -> bool:
    """The limit holds to the size and no further; whether there is a call of the size."""
    if limit.axis.endswith("ub-bytes"):
        kind = limit.axis.removesuffix("ub-bytes")
        sizes = of.fit(Sizes(kind, top_k=limit.top_k, dtype=dtype, ub=limit.value))
        assert isinstance(cut(tiling, of, sizes), Work), limit
        reason = cut(tiling, of, replace(sizes, ub=limit.value - 1))
        told = f"the unified buffer is {limit.value - 1} bytes; it must be {limit.value} bytes"
        assert isinstance(reason, str), limit
        assert reason.startswith(told), limit
        return True
    kind, axis = of.axis(limit.axis)
    sizes = Sizes(kind, top_k=limit.top_k, dtype=dtype, cores=limit.cores or 1)
    sizes = replace(sizes, ub=limit.ub_bytes or UB_910B, **{axis.given: limit.hidden or 8})
    sizes = replace(sizes, **axis.fixed)
    last = limit.value // sizes.top_k if axis.in_slots else limit.value
    if not axis.size:
        at = cut(tiling, of, of.fit(sizes))
        assert limit.value == (0 if isinstance(at, str) else at.count(axis.says)), limit
        return True
    called = False
    for size in (last - 1, last, last + 1):
        wanted = replace(sizes, **{axis.size: size})
        if size > 0 and is_of(of.fit(wanted), wanted, axis):
            found = cut(tiling, of, of.fit(wanted))
            assert is_within(found, axis, wanted) == (size <= last), (limit, size)
            if isinstance(found, Work) and axis.says and size > last:
                assert found.count(axis.says) == limit.value, limit
            called = True
    return called


def is_of(fitted: Sizes, wanted: Sizes, axis: Axis) -> bool:
    """Whether a call has what a limit depends on."""
    names = {axis.size, axis.given, "top_k"}
    return all(getattr(fitted, name) == getattr(wanted, name) for name in names)


def is_within(found: Work | str, axis: Axis, sizes: Sizes) -> bool:
    """Whether the call is of the kind to the limit; a buffer that is too small has a limit of 0."""
    if isinstance(found, str):
        return False
    return found.count(axis.count) <= (sizes.cores if axis.most is None else axis.most)


@EACH
def test_a_limit_of_anything_is_a_number_and_of_an_unknown_axis_minus_one(
    operator: Operator,
) -> None:
    of, tiling = description(operator), host_tiling(operator.name, operator.title)
    top_ks = (-(1 << 62), -1, 0, 1, 513, 1 << 62)
    hiddens, ubs = [1, 1 << 40], [0, 1, 768, 8192, 1 << 20]
    if of.least_hidden == 0:
        hiddens, ubs = [-1, 0, *hiddens, 1 << 62], [*ubs, 1 << 63]
    names = of.limits_of(operator)
    for top_k, hidden, ub in product(top_ks, hiddens, ubs):
        for axis, cores in product(names, (0, 1, 48)):
            assert tiling.limit(axis, top_k, FP32, cores=cores, ub=ub, hidden=hidden) >= 0, axis
        for axis in ("", "width", "-", *(f"{name}s-" for name in names)):
            assert tiling.limit(axis, top_k, FP32, ub=ub, hidden=hidden) == -1, axis
