"""What a call did besides its outputs, in sentences: how it ended, diagnostics, damage."""

from __future__ import annotations

from collections import Counter

from conformance.call.observation import UNTOLD, Diagnostic, Observation, Outcome
from conformance.catalogue import verdict as say
from conformance.catalogue.advice import advised
from conformance.catalogue.message import row

SHOWN_DIAGNOSTICS = 5
HARMLESS = ("warning", "note")
SEVERITIES = {"error": say.ERROR, "warning": say.WARNING, "note": say.NOTE}


def errors(observation: Observation) -> tuple[Diagnostic, ...]:
    """The diagnostics that fail a call: all but those of a severity known to be harmless."""
    return tuple(one for one in observation.diagnostics if one.severity not in HARMLESS)


def ending(observation: Observation) -> str:
    """How a call ended that did not complete."""
    where = say.IN_PHASE(phase=observation.phase) if observation.phase else ""
    status, seconds = observation.status, observation.seconds
    told = "" if status == UNTOLD else say.WITH_STATUS(status=status)
    what = {
        Outcome.REJECTED: say.REJECTED(where=where, told=told),
        Outcome.FAILED: say.FAILED(where=where, told=told),
        Outcome.CRASHED: say.CRASHED(where=where, seconds=seconds, status=status),
        Outcome.TIMED_OUT: say.TIMED_OUT(where=where, seconds=seconds),
        Outcome.OUT_OF_MEMORY: say.OUT_OF_MEMORY(where=where),
        Outcome.NOT_POSSIBLE: say.NOT_POSSIBLE(),
    }.get(observation.outcome, say.COMPLETED())
    reason = observation.message
    if observation.outcome is Outcome.FAILED and errors(observation):
        # The findings tell the diagnostic in full, so the headline only names it and its place.
        first = errors(observation)[0]
        reason = say.DIAGNOSTIC_AT(code=first.code, place=f"{first.file}:{first.line}")
    return say.BECAUSE(what=what, reason=reason) if reason else say.SENTENCE(what=what)


def call_findings(observation: Observation) -> tuple[str, ...]:
    """Diagnostics (equal ones once, errors first, of warnings of one code the first), damaged guard
    zones, changed inputs."""
    order = {"warning": 1, "note": 2}
    counted: Counter[Diagnostic] = Counter()
    for one in sorted(observation.diagnostics, key=lambda one: order.get(one.severity, 0)):
        alike = (seen for seen in counted if _place(seen) == _place(one))
        counted[next(alike, one)] += 1
    # A habit of a kernel, such as fixed event ids, warns of each place.
    first = {(one.severity, one.code): one for one in reversed(counted)}
    shown = [one for one in counted if one.severity != "warning" or one in first.values()]
    shown = shown[:SHOWN_DIAGNOSTICS]
    findings = [_told(one, counted[one]) for one in shown]
    if len(counted) > len(shown):
        findings.append(say.MORE_DIAGNOSTICS(count=len(counted) - len(shown)))
    for damage in observation.guard_damage:
        start = say.OFFSET(offset=damage.offset)
        if damage.offset < 0:
            start = say.BEFORE_ITS_START(count=-damage.offset)
        findings.append(say.GUARD_ZONE(buffer=damage.buffer, count=damage.count, start=start))
    findings += [say.INPUT_CHANGED(name=name) for name in observation.inputs_changed]
    return tuple(findings)


def _place(one: Diagnostic) -> tuple[str, str, str, int]:
    return one.severity, one.code, one.file, one.line


def _told(one: Diagnostic, times: int) -> str:
    """One diagnostic: what, where, and what to do about it."""
    where = [f"{one.file}:{one.line}"] if one.file else []
    where += [say.KERNEL(name=one.kernel)] if one.kernel else []
    where += [say.BLOCK(number=one.block)] if one.block >= 0 else []
    where += [say.PIPE(name=one.pipe)] if one.pipe else []
    lines: list[str] = [
        say.DIAGNOSTIC(
            severity=SEVERITIES[one.severity]() if one.severity in SEVERITIES else one.severity,
            code=one.code,
            message=one.message,
            place=say.PLACE(parts=where) if where else "",
            often=say.TIMES(count=times) if times > 1 else "",
        )
    ]
    if (first := one.earlier) is not None:
        whose = [say.BLOCK(number=first.block), say.PIPE(name=first.pipe)]
        place = say.PLACE(parts=[f"{first.file}:{first.line}", *whose])
        lines.append("  " + say.AFTER(operation=first.operation, place=place))
    lines += ["  " + say.ADVICE(advice=advised(one.advice))] if one.advice else []
    return row(lines, "\n")
