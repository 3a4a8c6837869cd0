"""An operator is looked for in four kinds of places, in one order."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.devices.packages.lookup import ACLNN, Candidate, candidates, order_of_lookup

USER = 1234


@pytest.fixture(autouse=True)
def owned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of this process's user are of USER."""
    monkeypatch.setattr("conformance.devices.packages.lookup.owner_of", lambda path: USER)


def library(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def host(root: Path, priority: str = "second,first") -> dict[str, str]:
    """Two named packages, two vendors, two split libraries, the general one."""
    for name in ("named", "other", "opp/vendors/first", "opp/vendors/second"):
        library(root / name / ACLNN)
    (root / "opp/vendors/config.ini").write_text(f"load_priority={priority}\n")
    for name in ("libopapi.so", "libopapi_transformer.so", "libopapi_math.so"):
        library(root / "lib64" / name)
    return {
        "ASCEND_CUSTOM_OPP_PATH": f"{root / 'named'}::{root / 'absent'}:{root / 'other'}",
        "ASCEND_OPP_PATH": str(root / "opp"),
        "LD_LIBRARY_PATH": f"{root / 'absent'}:{root / 'lib64'}",
    }


def asked(root: Path, environment: dict[str, str], user: int = USER) -> list[str]:
    return [str(one.path.relative_to(root)) for one in candidates(environment, user)]


def test_the_order_is_named_packages_then_vendors_then_split_libraries_then_the_general_one(
    tmp_path: Path,
) -> None:
    assert asked(tmp_path, host(tmp_path)) == [
        f"named/{ACLNN}",
        f"other/{ACLNN}",
        f"opp/vendors/second/{ACLNN}",
        f"opp/vendors/first/{ACLNN}",
        "lib64/libopapi_math.so",
        "lib64/libopapi_transformer.so",
        "lib64/libopapi.so",
    ]


def test_each_says_by_what_it_is_found(tmp_path: Path) -> None:
    sources = [one.source for one in candidates(host(tmp_path), USER)]
    config = f"load_priority of {tmp_path / 'opp/vendors/config.ini'}"
    assert sources == [
        *["ASCEND_CUSTOM_OPP_PATH"] * 2,
        *[config] * 2,
        *["CANN's split libraries"] * 2,
        "CANN's operators",
    ]


def test_a_vendor_that_the_configuration_does_not_list_is_not_asked(tmp_path: Path) -> None:
    environment = host(tmp_path, priority="first,absent")
    vendors = [path for path in asked(tmp_path, environment) if "vendors" in path]
    assert vendors == [f"opp/vendors/first/{ACLNN}"]


def test_a_custom_library_of_another_user_stays_in_the_order_and_says_that_it_is_passed_over(
    tmp_path: Path,
) -> None:
    found = candidates(host(tmp_path), 4321)
    assert [one.skipped for one in found if one.custom] == ["it is of user 1234, not of 4321"] * 4
    assert not any(one.skipped for one in found if not one.custom)


def test_the_folder_of_operators_may_be_told_where_no_variable_does(tmp_path: Path) -> None:
    environment = host(tmp_path)
    del environment["ASCEND_OPP_PATH"], environment["ASCEND_CUSTOM_OPP_PATH"]
    first = candidates(environment, USER, tmp_path / "opp")[0]
    config = tmp_path / "opp/vendors/config.ini"
    path = tmp_path / "opp/vendors/second" / ACLNN
    assert first == Candidate(path, f"load_priority of {config}", custom=True)


def test_people_read_the_order_with_sources_and_with_what_is_passed_over() -> None:
    found = (
        Candidate(Path("/a.so"), "here", "it is of user 1, not of 2", custom=True),
        Candidate(Path("/b.so"), "there"),
    )
    assert list(order_of_lookup(found)) == [
        "1. /a.so (here); passed over: it is of user 1, not of 2",
        "2. /b.so (there)",
    ]


def test_a_host_with_nothing_has_no_candidate() -> None:
    assert candidates({}, USER) == ()
