"""The bundle has what others must know of a host, as texts, and no secret."""

from __future__ import annotations

import hashlib
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from conformance.cli import doctor as command
from conformance.errors import UsageError
from conformance.host import bundle
from tests.conformance.front_door import conformance
from tests.conformance.host.fake_host import fake_host


def texts(tmp_path: Path, **environment: str) -> dict[str, str]:
    host = fake_host(tmp_path / "host")
    host.package("mine", "aclnnFakeAdd")
    run = tmp_path / "run"
    run.mkdir()
    (run / "evidence.json").write_text("{}")
    (run / "other").write_text("not of the bundle")
    return bundle.texts(host.roots(**environment), "told\n", "{}\n", run)


def test_a_bundle_has_these_texts_and_a_manifest_of_them(tmp_path: Path) -> None:
    found = texts(tmp_path)
    assert list(found) == [
        "MANIFEST.txt",
        "doctor.txt",
        "doctor.json",
        "environment.txt",
        "host.txt",
        "nodes.txt",
        "cann.txt",
        "packages.txt",
        "npu-smi.txt",
        "run/evidence.json",
    ]
    lines = found["MANIFEST.txt"].splitlines()
    assert [line.split()[2] for line in lines] == list(found)[1:]
    for line in lines:
        digest, size, name = line.split()
        text = found[name].encode()
        assert (digest, int(size)) == (hashlib.sha256(text).hexdigest(), len(text))


def test_the_texts_say_what_was_found(tmp_path: Path) -> None:
    found = texts(tmp_path)
    assert "Version=25.2.0" in found["cann.txt"]
    assert "version=8.5.0" in found["cann.txt"]
    assert "libopapi.so" in found["cann.txt"]
    assert "vendors/mine/op_api/lib/libcust_opapi.so" in found["packages.txt"]
    assert "davinci_manager" in found["nodes.txt"]
    assert found["npu-smi.txt"] == "npu-smi is not in PATH\n"


def test_of_the_environment_only_what_finds_cann_and_python_goes_along() -> None:
    kept = ("ASCEND_HOME_PATH", "ASCEND_RT_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PATH")
    kept += ("PYTHONPATH",)
    left = ("AWS_SECRET_ACCESS_KEY", "HOME", "GITHUB_TOKEN", "ASCEND_API_TOKEN", "MY_ASCEND_X")
    text = bundle.environment_text(dict.fromkeys((*kept, *left), "value"))
    assert text.splitlines() == [f"{name}=value" for name in sorted(kept)]


def test_a_text_that_cannot_be_had_says_why(tmp_path: Path) -> None:
    smi = tmp_path / "npu-smi"
    smi.write_text("#!/nowhere\n")
    smi.chmod(0o755)
    found = texts(tmp_path, PATH=str(tmp_path))
    assert found["npu-smi.txt"].startswith("not to be had: ")


def test_what_npu_smi_says_is_there(tmp_path: Path) -> None:
    smi = tmp_path / "npu-smi"
    smi.write_text("#!/bin/sh\necho cards: $1\n")
    smi.chmod(0o755)
    assert texts(tmp_path, PATH=str(tmp_path))["npu-smi.txt"] == "cards: info\n"


@pytest.mark.parametrize("name", ["host.tar.gz", "host.zip"])
def test_both_kinds_of_archive_have_every_text_in_one_folder(tmp_path: Path, name: str) -> None:
    contents = {"doctor.txt": "told\n", "run/evidence.json": "{}"}
    size = bundle.write(tmp_path / name, contents)
    assert size == (tmp_path / name).stat().st_size
    if name.endswith(".zip"):
        with zipfile.ZipFile(tmp_path / name) as packed:
            read = {one: packed.read(one).decode() for one in packed.namelist()}
    else:
        with tarfile.open(tmp_path / name) as packed_tar:
            files = {one.name: packed_tar.extractfile(one) for one in packed_tar.getmembers()}
            read = {one: file.read().decode() for one, file in files.items() if file is not None}
    assert read == {f"host/{one}": text for one, text in contents.items()}
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_name_that_cannot_be_written_is_wrong_usage_before_anything_is_looked_at(
    tmp_path: Path,
) -> None:
    (tmp_path / "there.zip").touch()
    for name, rule in (
        ("host.rar", r"ends with \.tar\.gz or \.zip"),
        ("there.zip", "is there already"),
        ("no/host.zip", "its folder is not there"),
    ):
        with pytest.raises(UsageError, match=rule):
            bundle.check_name(tmp_path / name)
    ended = conformance("doctor", "--bundle", "host.rar", folder=tmp_path)
    assert (ended.status, ended.out) == (2, "")


def test_the_doctor_writes_its_bundle_and_tells_people_to_look_through_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from conformance.cli.main import main
    from conformance.errors import EnvironmentFailure
    from conformance.host import doctor

    def refuse(spec: str) -> None:
        raise EnvironmentFailure(f"no {spec} today")

    monkeypatch.setattr(doctor, "open_device", refuse)
    monkeypatch.setattr(command, "DEVICE_NODES", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--json", "--bundle", "host.zip"]) == 3
    told = capfd.readouterr()
    assert "host.zip: 9 texts, " in told.err
    assert "look through it before you send it (docs/how-to/npu-host.md)" in told.err
    with zipfile.ZipFile("host.zip") as packed:
        assert json.loads(packed.read("host/doctor.json")) == json.loads(told.out)
        assert packed.read("host/doctor.txt").decode().endswith("nothing can be judged here\n")
