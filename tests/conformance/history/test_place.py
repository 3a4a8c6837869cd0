"""A history lies on a file system of one host; on one that hosts share it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.errors import UsageError
from conformance.history.database import opened
from conformance.history.place import check_local, filesystem

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /srv rw - nfs4 server:/export rw
31 22 0:41 / /srv/fast rw - xfs /dev/nvme0n1 rw
32 22 0:42 / /with\\040space rw - cifs //server/share rw
33 22 0:43 / /stacked rw - ext4 /dev/sdb rw
34 22 0:44 / /stacked rw - fuse.sshfs user@host: rw
35 22 0:45 / /srv2 rw - lustre fs@tcp:/x rw
broken line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/h.sqlite", "ext4"),
        ("/srv/h.sqlite", "nfs4"),
        ("/srv/fast/deep/h.sqlite", "xfs"),
        ("/srvx/h.sqlite", "ext4"),
        ("/with space/h.sqlite", "cifs"),
        ("/stacked/h.sqlite", "fuse.sshfs"),
    ],
)
def test_the_nearest_mount_that_was_made_last_counts(path: str, kind: str) -> None:
    assert filesystem(Path(path), MOUNTS) == kind


@pytest.mark.parametrize("path", ["/srv/h", "/with space/h", "/stacked/h", "/srv2/h"])
def test_a_network_file_system_is_refused_with_what_to_do(path: str) -> None:
    with pytest.raises(UsageError, match=r"network file system .*--db.*history import"):
        check_local(Path(path), MOUNTS)


@pytest.mark.parametrize("path", ["/h", "/srv/fast/h"])
def test_a_local_file_system_is_taken(path: str) -> None:
    check_local(Path(path), MOUNTS)


def test_the_database_is_opened_only_where_it_may_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 1 0:1 / {tmp_path} rw - nfs server:/x rw\n")
    monkeypatch.setattr("conformance.history.place.MOUNTS", mounts)
    with pytest.raises(UsageError, match="network file system"), opened(tmp_path / "h", write=True):
        pass
    assert not (tmp_path / "h").exists()
