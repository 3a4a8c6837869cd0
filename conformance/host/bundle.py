"""One file with what a person elsewhere must know of this host: texts only, and no secrets.

What is in it stands in docs/how-to/npu-host.md; all of it is in English. A text that cannot be had
is there with the reason why.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
import re
import shutil
import stat
import subprocess
import tarfile
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from conformance.catalogue import host as say
from conformance.catalogue.marks import OR
from conformance.catalogue.message import row
from conformance.errors import EnvironmentFailure, UsageError
from conformance.host.npu import VERSIONS
from conformance.host.roots import MANAGERS, Roots

ENDINGS = (".tar.gz", ".zip")
KEPT = re.compile(r"ASCEND_\w*|LD_LIBRARY_PATH|PATH|PYTHON\w*")
SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|KEY", re.IGNORECASE)
"""Variables of such names stay away, whatever they begin with."""
TOOL_SECONDS = 20
MOST_BYTES = 8 << 20
"""Of one text; a longer one is cut at its end."""
RUN_TEXTS = ("evidence.json", "pytest.log")
"""What of the run's folder goes with it."""


def check_name(path: Path) -> None:
    """Raise `UsageError` for a file that cannot become the bundle; changes nothing."""
    if not path.name.endswith(ENDINGS):
        raise UsageError("bundle", path, say.BUNDLE_ENDINGS(endings=row(ENDINGS, OR)))
    if path.exists():
        raise UsageError("bundle", path, say.ALREADY_THERE())
    if not path.absolute().parent.is_dir():
        raise UsageError("bundle", path, say.FOLDER_NOT_THERE())


def environment_text(environment: Mapping[str, str]) -> str:
    """The variables that say how CANN and Python are found, one a line, without any secret."""
    kept = (
        name for name in sorted(environment) if KEPT.fullmatch(name) and not SECRET.search(name)
    )
    return "".join(f"{name}={environment[name]}\n" for name in kept)


def texts(roots: Roots, told: str, told_json: str, out: Path) -> dict[str, str]:
    """The texts by name. ``told`` and ``told_json`` are the doctor's, ``out`` a run's folder."""
    made: dict[str, Callable[[], str]] = {
        "doctor.txt": lambda: told,
        "doctor.json": lambda: told_json,
        "environment.txt": lambda: environment_text(roots.environment),
        "host.txt": _host,
        "nodes.txt": lambda: _nodes(roots),
        "cann.txt": lambda: _cann(roots),
        "packages.txt": lambda: _packages(roots),
        "npu-smi.txt": lambda: _npu_smi(roots),
    }
    for name in RUN_TEXTS:
        if (out / name).is_file():
            made[f"run/{name}"] = (out / name).read_text
    found = {name: _or_why_not(make) for name, make in made.items()}
    listed = (
        f"{hashlib.sha256(text.encode()).hexdigest()}  {len(text.encode()):>8}  {name}\n"
        for name, text in found.items()
    )
    return {"MANIFEST.txt": "".join(listed), **found}


def write(path: Path, contents: Mapping[str, str]) -> int:
    """Write the bundle as a whole; returns its bytes. Raises `UsageError`, EnvironmentFailure."""
    check_name(path)
    folder = next(path.name.removesuffix(end) for end in ENDINGS if path.name.endswith(end))
    packed = io.BytesIO()
    pack = _zipped if path.name.endswith(".zip") else _tarred
    pack(packed, {f"{folder}/{name}": text.encode() for name, text in contents.items()})
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(packed.getvalue())
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise EnvironmentFailure(say.BUNDLE_NOT_WRITTEN(path=path, error=str(error))) from error
    return len(packed.getvalue())


def _tarred(file: io.BytesIO, contents: Mapping[str, bytes]) -> None:
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, text in contents.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(text), int(time.time()), 0o644
            archive.addfile(member, io.BytesIO(text))


def _zipped(file: io.BytesIO, contents: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(name, text)


def _or_why_not(make: Callable[[], str]) -> str:
    try:
        text = make()
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError) as error:
        text = f"{say.NOT_TO_BE_HAD(error=str(error))}\n"
    return text.encode(errors="replace")[:MOST_BYTES].decode(errors="replace")


def _host() -> str:
    lines = [" ".join(platform.uname()), f"python {platform.python_version()}"]
    release = Path("/etc/os-release")
    return "\n".join(lines) + "\n" + (release.read_text() if release.is_file() else "")


def _nodes(roots: Roots) -> str:
    """The nodes with mode, owner and group, and who asks for them."""
    named = [*sorted(roots.devices.glob("davinci[0-9]*"))]
    named += [roots.devices / name for name in MANAGERS]
    lines = [f"user {roots.user}, groups {', '.join(map(str, sorted(roots.member_of)))}"]
    for node in named:
        if not node.exists():
            lines.append(f"{node}: not there")
            continue
        status = node.stat()
        mode = stat.filemode(status.st_mode)
        lines.append(f"{mode} {status.st_uid:>5} {status.st_gid:>5} {node}")
    return "\n".join(lines) + "\n"


def _cann(roots: Roots) -> str:
    """The files that tell versions, the libraries that are found, and the driver's."""
    paths = [roots.driver / "version.info"]
    if roots.cann is not None:
        paths += (path for pattern in VERSIONS for path in sorted(roots.cann.glob(pattern)))
    told = [f"== {path}\n{_or_why_not(path.read_text)}" for path in paths]
    for name in ("libascendcl.so", "libopapi.so"):
        path = roots.library(name)
        told.append(f"== {name}\n" + ("not found\n" if path is None else _file(path)))
    return "\n".join(told)


def _packages(roots: Roots) -> str:
    """Custom packages in the order in which they are asked, with every file: size, owner, path."""
    lines = []
    for package in roots.packages():
        files = sorted(path for path in package.rglob("*") if path.is_file())
        lines += [f"== {package}\n", *map(_file, files)]
    return "".join(lines) or "none\n"


def _file(path: Path) -> str:
    status = path.stat()
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(status.st_mtime))
    return f"{status.st_size:>12} {day} user {status.st_uid} {path}\n"


def _npu_smi(roots: Roots) -> str:
    """What the driver's own tool says of the cards."""
    tool = shutil.which("npu-smi", path=roots.environment.get("PATH", os.defpath))
    if tool is None:
        return f"{say.NO_NPU_SMI()}\n"
    done = subprocess.run([tool, "info"], capture_output=True, text=True, timeout=TOOL_SECONDS)
    return done.stdout + done.stderr
