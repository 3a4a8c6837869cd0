"""Parts of the corpus about whole calls: verdicts in words, refusals, documented values."""

import itertools
from dataclasses import replace

import numpy as np

from conformance.call.case import Machine
from conformance.call.observation import GuardDamage, Observation, Outcome
from conformance.devices.device import DeviceProfile, Trait
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.rejections import judge_rejection
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.clause import document
from conformance.record.contract import Copy, Index
from conformance.record.operator import Example
from reference.terms import Terms
from tests.conformance.segment_sum import (
    FLAW,
    ORDER,
    bits,
    case,
    coded,
    drifting,
    lattice,
    observe,
    operator,
    refusal,
    refused,
    right,
    terms,
    whole,
)
from tests.proofs.mutation.attempt import attempt

DTYPES = ("float16", "bfloat16", "float32")
RECORDS = (operator(), operator(merges=None), operator(order_clause=None))
FIELDS = (
    {"unwritten": {"y": 1}},
    {"unwritten": {"y": 2}},
    {"unwritten": {}},
    {"status": 7},
    {"diagnostics": (FLAW,)},
    {"diagnostics": (FLAW, FLAW, replace(FLAW, severity="warning"))},
    {"guard_damage": (GuardDamage("y", 0, 4), GuardDamage("x", 8, 1))},
    {"inputs_changed": ("x", "rows")},
    {"outputs": {}},
)


def spoken(verdict):
    return verdict, str(verdict)


def outputs_of(made):
    """The right output and wrong ones."""
    y = right(made)
    yield y
    for places in ((0,), (0, 1), (3, 40, 77), range(0, y.size, 2)):
        wrong = y.copy()
        bits(wrong).reshape(-1)[[place for place in places if place < y.size]] ^= 5
        yield wrong
    yield np.full_like(y, np.nan)
    yield y[:, ::-1].copy()
    yield y[:-1]
    yield y.astype(np.float64)


def calls():
    for dtype, record in itertools.product(DTYPES, RECORDS):
        for made in (whole(dtype), case([[np.nan], [1.0], [-np.inf]], [[0, 1], [1, 2]], dtype)):
            for y in outputs_of(made):
                yield spoken(attempt(judge, record, made, observe(y)))
    made, y = drifting()
    for record, seen in itertools.product(RECORDS, (y, right(made), y * 2)):
        yield spoken(judge(record, made, observe(seen)))
    cut = replace(whole(), machine=Machine(cores=2, ub_bytes=4096))
    for made in (coded(), cut):
        for row in (0, 1, 3):
            wrong = right(made)
            wrong[row] = right(made)[(row + 1) % 4]
            yield spoken(judge(RECORDS[0], made, observe(wrong, unwritten={"y": row})))
    for y in outputs_of(whole()):
        for fields in FIELDS:
            yield spoken(judge(RECORDS[0], whole(), observe(y, **fields)))
    extra = {"y": right(whole()), "b": right(whole()), "a": right(whole())}
    yield spoken(judge(RECORDS[0], whole(), observe(right(whole()), outputs=extra)))
    for outcome in Outcome:
        ended = replace(observe(right(whole())), outcome=outcome)
        yield spoken(judge(RECORDS[0], whole(), ended))
    yield attempt(judge, operator(contracts={}), whole(), observe(right(whole())))


def refusals():
    observations = [
        refused(),
        refused(status=3),
        refused(status=3, message="too few"),
        refused(outputs_untouched=False),
        refused(inputs_changed=("x",)),
        refused(diagnostics=(FLAW,)),
        Observation(Outcome.COMPLETED, outputs_untouched=True),
        Observation(Outcome.COMPLETED, status=4, outputs_untouched=True),
        Observation(Outcome.FAILED, 161002, "aclnnSegmentSum", outputs_untouched=True),
        Observation(Outcome.CRASHED, 139, outputs_untouched=False),
    ]
    for observation in observations:
        yield spoken(judge_rejection(refusal(), observation))


def examples():
    made = case([[1.0], [2.0]], [[0, 1], [1, 1]])
    example = Example("two", made, "segment_sum.md, Example", {"y": (3.0, 4.0)})
    y = right(made)
    for printed in ((3.0, 4.0), (3.0, 5.0), (2.0, 5.0), (3.00001, 4.0), (3.0,), None):
        expected = None if printed is None else {"y": printed}
        shown = replace(example, expected=expected)
        for seen in (y, y + 1, y[:1], y[:, :0]):
            answer = attempt(judge_example, shown, RECORDS[0], observe(seen))
            yield answer, str(answer)
    crashed = replace(observe(y), outcome=Outcome.CRASHED)
    yield judge_example(example, RECORDS[0], crashed)
    clause = document("moved", "corpus")
    for contract, name in ((Copy(clause), "float16"), (Index(clause), "int32")):
        record = operator(
            formula=lambda inputs, attributes: {"y": inputs["rows"][:, :1]},
            contracts={"y": contract},
        )
        integers = replace(made, outputs={"y": replace(made.outputs["y"], dtype=name)})
        for seen in (np.array([[0], [1]], np.int32), np.array([[0], [2]], np.int32)):
            for dtype in (np.int32, np.float16):
                shown = replace(example, case=integers, expected={"y": (0.0, 2.0)})
                answer = attempt(judge_example, shown, record, observe(seen.astype(dtype)))
                yield answer, str(answer)


def disagreements():
    def off(amount):
        def formula(inputs, attributes):
            y = operator().formula(inputs, attributes)["y"]
            with np.errstate(all="ignore"):
                return {"y": y + amount * np.abs(y)}

        return operator(formula=formula)

    thirds = np.random.default_rng(3).standard_normal((6, 5)).astype(np.float32)
    for dtype in DTYPES:
        fine = case(thirds.astype(np.float16), [[0, 2, 4], [1, 3, -1]], dtype)
        for made in (whole(dtype), fine):
            for step in range(0, 40, 3):
                yield attempt(check, off(step * 2.0**-53), made)
                yield attempt(check, off(-step * 2.0**-53), made)
            yield attempt(check, off(np.nan), made), attempt(check, off(np.inf), made)
            for limit in (0, 1, 29, 30, 647, 648, 649):
                yield attempt(check, off(1.0), made, limit)
        special = case([[np.nan], [1.0], [-np.inf]], [[0, 1], [1, 2], [0, 2]], dtype)
        yield attempt(check, operator(), special), attempt(check, off(1.0), special)
    flat = operator(formula=lambda inputs, attributes: {"y": np.zeros(3)})
    yield attempt(check, flat, whole())
    for weight in (1.0, 3.0, 0.1):
        coefficients = np.full((4, 3), weight, np.float32)

        def weighted(inputs, attributes, coefficients=coefficients):
            return Terms(inputs["rows"], "x", coefficients=coefficients, cast="float16")

        contract = replace(operator(order_clause=ORDER).contracts["y"], terms=weighted)
        for factor in (1.0, weight):

            def formula(inputs, attributes, factor=factor):
                return {"y": factor * operator().formula(inputs, attributes)["y"]}

            record = operator(formula=formula, contracts={"y": contract})
            yield attempt(check, record, whole()), attempt(check, record, case(lattice(), [[0]]))
    yield terms({"rows": np.zeros((1, 1), np.int32)}, {}).rows


def profiles():
    profile = DeviceProfile(
        name="toy",
        kind="npu",
        soc="toy",
        vector_cores=1,
        ub_bytes=None,
        cann="unknown",
        libraries={},
        cast_mode=Trait("truncate"),
        flush_to_zero=Trait("subnormals become zero"),
        overflow_mode=Trait("saturate"),
    )
    for kind, probed in itertools.product(("npu", "sim"), (False, True)):
        for name, value in (
            ("cast_mode", "round half to even"),
            ("cast_mode", "unknown"),
            ("cast_mode", "odd"),
            ("flush_to_zero", "subnormals are kept"),
            ("overflow_mode", "infinity"),
            ("overflow_mode", "unknown"),
        ):
            made = replace(profile, kind=kind, **{name: Trait(value, probed)})
            found = attempt(Arithmetic.of, made)
            yield found, getattr(found, "may_flush", None)
            if isinstance(found, Arithmetic):
                yield list(found.behaviours())


PARTS = (profiles, refusals, examples, disagreements, calls)
