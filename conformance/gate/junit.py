"""The JUnit XML of a merged run: an item each, as pytest writes it of a run on one host."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as Xml

from conformance.evidence.lines import AnyLine, ItemLine, VerdictLine
from conformance.evidence.summary import Evidence
from conformance.printable import printable

JUNIT = "junit.xml"
NO_XML = re.compile(r"[^\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(out: Path, evidence: Evidence, lines: Iterable[AnyLine]) -> None:
    """Write the file into the folder of a merged run. Raises `OSError`."""
    verdicts: defaultdict[str, list[VerdictLine]] = defaultdict(list)
    ended: dict[str, None] = {}
    for line in lines:
        if isinstance(line, VerdictLine):
            verdicts[line.item].append(line)
        elif isinstance(line, ItemLine):
            ended.setdefault(line.item)
    root = Xml.Element("testsuites", name="conformance tests")
    suite = Xml.SubElement(root, "testsuite", name="conformance", timestamp=evidence.started)
    told = _told(evidence)
    counts = Counter(kind for kind, _, _ in told.values())
    items = dict.fromkeys([*ended, *verdicts, *told])
    for item in items:
        file, _, name = item.partition("::") if "::" in item else ("", "", item)
        case = Xml.SubElement(
            suite,
            "testcase",
            classname=_text(file.removesuffix(".py").replace("/", ".")),
            name=_text(name),
            time=f"{sum(line.seconds for line in verdicts[item]):.3f}",
        )
        if verdicts[item]:
            _properties(case, verdicts[item][0], evidence.device)
        if item in told:
            kind, message, text = told[item]
            Xml.SubElement(case, kind, message=_text(message)).text = _text(text)
    suite.set("time", f"{evidence.seconds:.3f}")
    suite.set("tests", str(len(items)))
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(counts[kind]))
    (out / JUNIT).write_bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True))


def _told(evidence: Evidence) -> dict[str, tuple[str, str, str]]:
    """How the items came out that were not accepted: a kind of element, a message, a text."""
    skipped = ((evidence.cut, "cut short"), (evidence.unreached, "not reached"))
    told = {item: ("skipped", words, "") for items, words in skipped for item in items}
    for item, text in evidence.errors.items():
        told[item] = ("error", (text.strip().splitlines() or ["no text"])[-1], text)
    for one in evidence.failures:
        told[one.item] = ("failure", one.headline, one.text)
    return told


def _properties(case: Xml.Element, line: VerdictLine, device: str) -> None:
    told = {"operator": line.operator, "mode": line.mode, "dtype": line.dtype}
    properties = Xml.SubElement(case, "properties")
    for name, value in {**told, "route": line.route, "device": device}.items():
        Xml.SubElement(properties, "property", name=name, value=_text(value))


def _text(text: str) -> str:
    """A text without what a terminal would obey, and without what XML cannot hold."""
    return NO_XML.sub("?", printable(text))
