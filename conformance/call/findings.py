"""What a call did besides its outputs, in sentences: how it ended, diagnostics, damage."""

from __future__ import annotations

from collections import Counter

from conformance.call.observation import Diagnostic, Observation, Outcome

SHOWN_DIAGNOSTICS = 5
HARMLESS = ("warning", "note")


def errors(observation: Observation) -> tuple[Diagnostic, ...]:
    """The diagnostics that fail a call: all but those of a severity known to be harmless."""
    return tuple(one for one in observation.diagnostics if one.severity not in HARMLESS)


def ending(observation: Observation) -> str:
    """How a call ended that did not complete."""
    where = f" in {observation.phase}" if observation.phase else ""
    what = {
        Outcome.REJECTED: f"the call was refused{where} with status {observation.status}",
        Outcome.FAILED: f"the call failed{where} with status {observation.status}",
        Outcome.CRASHED: f"the call crashed after {observation.seconds:.2f} s{where}"
        f" (status {observation.status})",
        Outcome.TIMED_OUT: f"the call timed out after {observation.seconds:.2f} s{where}",
        Outcome.OUT_OF_MEMORY: f"the call ran out of memory{where}",
        Outcome.NOT_POSSIBLE: "not possible here, not judged",
    }.get(observation.outcome, "the call completed")
    reason = observation.message
    if observation.outcome is Outcome.FAILED and errors(observation):
        # The findings tell the diagnostic in full, so the headline only names it and its place.
        first = errors(observation)[0]
        reason = f"{first.code} at {first.file}:{first.line}"
    return f"{what}: {reason}" if reason else f"{what}."


def call_findings(observation: Observation) -> tuple[str, ...]:
    """Diagnostics (equal ones once, errors first), damaged guard zones, changed inputs."""
    order = {"warning": 1, "note": 2}
    counted: Counter[Diagnostic] = Counter()
    for one in sorted(observation.diagnostics, key=lambda one: order.get(one.severity, 0)):
        alike = (seen for seen in counted if _place(seen) == _place(one))
        counted[next(alike, one)] += 1
    findings = [_told(one, times) for one, times in list(counted.items())[:SHOWN_DIAGNOSTICS]]
    if len(counted) > SHOWN_DIAGNOSTICS:
        findings.append(f"and {len(counted) - SHOWN_DIAGNOSTICS} more diagnostics")
    for damage in observation.guard_damage:
        at = f"offset {damage.offset}"
        if damage.offset < 0:
            at = f"{-damage.offset} bytes before its start"
        findings.append(f"guard zone of {damage.buffer}: {damage.count} bytes changed, from {at}")
    findings += [
        f"input {name} holds other bytes than before" for name in observation.inputs_changed
    ]
    return tuple(findings)


def _place(one: Diagnostic) -> tuple[str, str, str, int]:
    return one.severity, one.code, one.file, one.line


def _told(one: Diagnostic, times: int) -> str:
    """One diagnostic: what, where, and what to do about it."""
    where = [f"{one.file}:{one.line}"] if one.file else []
    where += [f"kernel {one.kernel}"] if one.kernel else []
    where += [f"block {one.block}"] if one.block >= 0 else []
    where += [f"pipe {one.pipe}"] if one.pipe else []
    place = f" ({', '.join(where)})" if where else ""
    often = f", {times} times" if times > 1 else ""
    other = ""
    if (first := one.earlier) is not None:
        whose = f"block {first.block}, pipe {first.pipe}"
        other = f"\n  after: {first.operation} ({first.file}:{first.line}, {whose})"
    advice = f"\n  advice: {one.advice}" if one.advice else ""
    return f"{one.severity} {one.code}: {one.message}{place}{often}{other}{advice}"
