"""What the gate says, told to people, and to a CI server where it marks sources and jobs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from conformance.gate.judgement import Finding, Judgement
from conformance.printable import printable, printable_json

SHOWN = 10
"""Findings of a kind that are told; a broken kernel has hundreds."""
ANNOTATIONS = ("github", "gitlab")


def gate_lines(judgement: Judgement) -> Iterator[str]:
    """The answer as a person reads it: findings by kind, what was let pass, the verdict last."""
    yield from (f"cannot judge: {printable(reason)}" for reason in judgement.reasons)
    counted: Counter[str] = Counter()
    items: Counter[str] = Counter()
    width = max((len(finding.kind) for finding in judgement.findings), default=0)
    for finding in judgement.findings:
        counted[finding.kind] += 1
        items[finding.kind] += max(1, len(finding.items))
        if counted[finding.kind] <= SHOWN:
            yield printable(f"  {finding.kind:{width}}  {finding.subject}: {finding.message}")
            if finding.file:
                yield printable(f"  {'':{width}}  see {finding.file}")
    for kind, number in counted.items():
        if number > SHOWN:
            yield f"  {kind:{width}}  and {number - SHOWN} more (--json has all)"
    for word, sentences in (
        ("waived", judgement.waived),
        ("unconfirmed", judgement.unconfirmed),
        ("note", judgement.notes),
        ("shown", judgement.figures),
    ):
        yield from (printable(f"{word}: {sentence}") for sentence in sentences[:SHOWN])
        if len(sentences) > SHOWN:
            yield f"{word}: {len(sentences) - SHOWN} more (--json has all)"
    yield printable(_verdict(judgement, counted, items))


def _verdict(judgement: Judgement, counted: Counter[str], items: Counter[str]) -> str:
    if judgement.reasons:
        return f"gate: {judgement.verdict} {judgement.run}; nothing is accepted, nothing rejected"
    told = f"gate: {judgement.verdict}"
    if counted:
        told += (
            f" for {', '.join(f'{one} ({_number(counted[one], items[one])})' for one in counted)}"
        )
    beside = f"beside baseline {judgement.baseline}" if judgement.baseline else "without a baseline"
    return f"{told}: {judgement.cases:,} cases on {judgement.device}, {beside}"


def _number(findings: int, items: int) -> str:
    return f"{items}" if items == findings else f"{findings} diagnoses of {items} items"


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
