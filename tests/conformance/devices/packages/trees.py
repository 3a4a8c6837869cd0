"""Trees of custom-operator packages in a temporary folder, around a library of the simulator's."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Sequence
from pathlib import Path

from conformance.devices.packages.lookup import ACLNN
from conformance.devices.packages.package import BINARIES, KERNELS, MACHINES, TILING, TILING_FOLDER

SOC = "ascend910b"
MACHINE = MACHINES[platform.machine().lower()]


def package_tree(
    root: Path,
    library: Path,
    operators: Sequence[tuple[str, str]],
    *,
    soc: str = SOC,
    machine: str = MACHINE,
    content: str = "",
) -> Path:
    """A whole package: ``library`` as its aclnn library, files that stand for the rest.

    ``operators`` are names and types; ``content`` is what their binaries differ by.
    """
    (root / ACLNN).parent.mkdir(parents=True)
    shutil.copy(library, root / ACLNN)
    tiling = root / TILING_FOLDER / "lib/linux" / machine / TILING
    tiling.parent.mkdir(parents=True)
    tiling.write_text(f"tiling of {root.name}")
    listed = {}
    for name, title in operators:
        folder = root / KERNELS / soc / name
        folder.mkdir(parents=True)
        (folder / f"{title}_0.o").write_text(f"binary of {name}{content}")
        (folder / f"{title}_0.json").write_text("{}")
        one = {f"{kind}Path": f"{soc}/{name}/{title}_0.{end}" for kind, end in ENDS}
        listed[title] = {"dynamicRankSupport": True, "binaryList": [{"coreType": 1, **one}]}
    config = root / KERNELS / "config" / soc / BINARIES
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps(listed))
    return root


ENDS = (("bin", "o"), ("json", "json"))
