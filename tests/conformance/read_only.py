"""A command in a mount of this checkout that nobody can write, the machine's own root neither."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from tests.conformance.front_door import ROOT

MOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"'


def in_read_only_checkout(
    *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run Python in the checkout, read-only; what it tells is in ``stdout``."""
    own = "--mount" if os.geteuid() == 0 else "--map-root-user"
    return subprocess.run(
        ["unshare", own, "--mount", "sh", "-c", MOUNT, str(ROOT), sys.executable, *arguments],
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def why_not() -> str:
    """Why this machine lets nobody mount the checkout read-only; "" if it does."""
    try:
        done = in_read_only_checkout("-c", "open('written', 'w')")
    except OSError as error:
        return f"unshare cannot be run: {error}"
    return "" if "Read-only file system" in done.stdout else f"no mount: {done.stdout.strip()}"
