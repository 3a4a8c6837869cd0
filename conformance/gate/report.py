"""What the gate says, told to people, and to a CI server where it marks sources and jobs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from conformance.catalogue import gate as say
from conformance.gate.judgement import KINDS, REJECTED, Finding, Judgement
from conformance.printable import printable, printable_json

SHOWN = 10
"""Findings of a kind that are told; a broken kernel has hundreds."""
ANNOTATIONS = ("github", "gitlab")


def gate_lines(judgement: Judgement) -> Iterator[str]:
    """The answer as a person reads it: findings by kind, what was let pass, the verdict last."""
    yield from (printable(say.CANNOT_JUDGE(what=reason)) for reason in judgement.reasons)
    counted: Counter[str] = Counter()
    items: Counter[str] = Counter()
    width = max((len(finding.kind) for finding in judgement.findings), default=0)
    for finding in judgement.findings:
        counted[finding.kind] += 1
        items[finding.kind] += max(1, len(finding.items))
        if counted[finding.kind] <= SHOWN:
            yield printable(_finding(finding, width))
            if finding.file:
                yield printable(" " * (width + 4) + say.SEE(file=finding.file))
    for kind, number in counted.items():
        if number > SHOWN:
            yield say.MORE_FINDINGS(kind=_kind(kind), width=width, count=number - SHOWN)
    for words, sentences in (
        (say.WAIVED, judgement.waived),
        (say.UNCONFIRMED, judgement.unconfirmed),
        (say.NOTE, judgement.notes),
        (say.SHOWN, judgement.figures),
    ):
        yield from (printable(words(what=sentence)) for sentence in sentences[:SHOWN])
        if len(sentences) > SHOWN:
            yield words(what=say.MORE(count=len(sentences) - SHOWN))
    yield printable(_verdict(judgement, counted, items))


def _finding(finding: Finding, width: int) -> str:
    return say.FINDING(
        kind=_kind(finding.kind), width=width, subject=finding.subject, message=finding.message
    )


def _kind(kind: str) -> str:
    """The words of a kind."""
    return KINDS[kind]() if kind in KINDS else kind


def _verdict(judgement: Judgement, counted: Counter[str], items: Counter[str]) -> str:
    if judgement.reasons:
        return say.NOTHING_SAID(run=judgement.run)
    baseline = judgement.baseline
    told = {
        "verdict": say.REJECTED() if judgement.status == REJECTED else say.ACCEPTED(),
        "cases": judgement.cases,
        "device": judgement.device,
        "beside": say.BESIDE_BASELINE(name=baseline) if baseline else say.WITHOUT_BASELINE(),
    }
    if not counted:
        return say.VERDICT(**told)
    kinds = [
        say.COUNTED(kind=_kind(one), number=_number(counted[one], items[one])) for one in counted
    ]
    return say.VERDICT_FOR(kinds=kinds, **told)


def _number(findings: int, items: int) -> str:
    return str(items) if items == findings else say.DIAGNOSES(findings=findings, items=items)


def annotated(judgement: Judgement, form: str) -> str:
    """The findings as a CI server takes them: GitHub's workflow commands, one a line, or GitLab's
    Code Quality report (an array of JSON)."""
    told = [*judgement.findings]
    told += [
        Finding(kind=judgement.verdict, subject=judgement.run, message=reason)
        for reason in judgement.reasons
    ]
    if form == "gitlab":
        return printable_json(msgspec.json.encode([_gitlab(one) for one in told]).decode())
    return "\n".join(_github(finding) for finding in told)


def _github(finding: Finding) -> str:
    """A workflow command; values are escaped as GitHub's own toolkit does (``core.error``)."""
    title = _escaped(printable(f"{finding.kind}: {finding.subject}"), "%\r\n:,")
    place = ""
    if source := _inside(finding.source):
        place = f"file={_escaped(source, '%:,')},line={finding.line},"
    message = _escaped(printable(finding.message), "%\r\n")
    return f"::error {place}title={title}::{message}"


def _escaped(text: str, special: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in special else c for c in text)


def _gitlab(finding: Finding) -> dict[str, object]:
    source = _inside(finding.source)
    place = (source, finding.line) if source else (_inside(finding.file) or "evidence.json", 1)
    known = "\0".join((finding.kind, finding.subject, finding.message))
    return {
        "description": printable(f"{finding.kind}: {finding.subject}: {finding.message}"),
        "check_name": f"conformance/{finding.kind.replace(' ', '-')}",
        "fingerprint": hashlib.sha256(known.encode("utf-8", "replace")).hexdigest(),
        "severity": "major",
        "location": {"path": place[0], "lines": {"begin": place[1]}},
    }


def _inside(file: str) -> str:
    """A path inside of a folder, of the run or of the repository; empty where it leads out."""
    path = PurePosixPath(file)
    if not file or path.is_absolute() or ".." in path.parts or printable(file) != file:
        return ""
    return file
