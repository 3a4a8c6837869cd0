"""What the session of a run does with what workers say: arguments, names, files of failures."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.errors import EnvironmentFailure
from conformance.evidence.lines import DeviceLine, LineReader, encoded
from conformance.ray.driver import RunDesk, arguments_of_worker, next_number


@pytest.fixture
def desk(tmp_path: Path) -> RunDesk:
    """A desk that knows its folder, and nothing else."""
    made = RunDesk.__new__(RunDesk)
    made._out = tmp_path
    return made


def test_workers_are_given_what_is_not_the_own_of_the_session() -> None:
    given = ["--junit-xml=/x/junit.xml", "--conformance-resume", "--conformance-device=auto"]
    given += ["-p", "conformance.ray.driver", "--conformance-ray={}"]
    shared = ["--conformance-profile=gate", "-p", "other.plugin", "-k", "values"]
    assert [*arguments_of_worker([*shared[:1], *given, *shared[1:]])] == shared


def test_a_worker_has_a_name_that_no_file_has(tmp_path: Path) -> None:
    assert next_number(tmp_path) == 0
    for name in ("evidence.ray0.jsonl", "evidence.ray11.jsonl", "evidence.gw40.jsonl"):
        (tmp_path / name).touch()
    assert next_number(tmp_path) == 12


def test_a_bundle_is_kept_where_the_run_would_write_it(desk: RunDesk, tmp_path: Path) -> None:
    desk.keep("failures/1-2/larger/case.json", b"{}")
    assert (tmp_path / "failures" / "1-2" / "larger" / "case.json").read_bytes() == b"{}"


@pytest.mark.parametrize(
    "path", ["evidence.json", "failures/../evidence.json", "/etc/passwd", "failures/../../x", ""]
)
def test_nothing_is_written_elsewhere(desk: RunDesk, tmp_path: Path, path: str) -> None:
    with pytest.raises(EnvironmentFailure, match="belongs to no failure"):
        desk.keep(path, b"{}")
    assert [*tmp_path.iterdir()] == []


def test_a_file_that_cannot_be_written_is_told(desk: RunDesk, tmp_path: Path) -> None:
    (tmp_path / "failures").touch()
    with pytest.raises(EnvironmentFailure, match=r"failures/1/case\.json cannot be written"):
        desk.keep("failures/1/case.json", b"{}")


def test_what_judges_otherwise_is_named(desk: RunDesk) -> None:
    desk._judges = {"python": "3.11.7", "sources": "a", "items": "2 items"}
    assert desk.differs(dict(desk._judges)) == []
    assert desk.differs({**desk._judges, "sources": "b", "items": "3 items"}) == [
        "sources",
        "items",
    ]
    assert desk.differs({}) == ["python", "sources", "items"]


def device(soc: str) -> bytes:
    """The line of a device."""
    profile = {"soc": soc, "libraries": {"libopapi.so": {"path": "/a", "sha256": "1"}}}
    return encoded(DeviceLine(worker="ray0", description=soc, profile=profile))


def test_a_device_of_another_soc_does_not_judge_beside_the_first(desk: RunDesk) -> None:
    desk._profile, desk._read = None, LineReader()
    assert desk.other_device(device("Ascend910B1")) == ""
    assert desk.other_device(device("Ascend910B1")) == ""
    assert desk.other_device(device("Ascend910_93")) == (
        "refused, its device is another one (soc differ)"
    )


def test_an_item_that_is_given_up_is_reported_as_xdist_reports_a_crash(desk: RunDesk) -> None:
    told: list[Any] = []
    hook = SimpleNamespace(pytest_runtest_logreport=lambda report: told.append(report))
    desk._config = SimpleNamespace(hook=hook)  # type: ignore[assignment]
    desk._items = {"a.py::b": SimpleNamespace(location=("a.py", 1, "b"))}  # type: ignore[dict-item]
    desk.crashed("ray3", "a.py::b")
    (report,) = told
    assert report.failed
    assert report.longrepr == "worker 'ray3' crashed while running 'a.py::b'"
