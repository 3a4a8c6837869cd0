#!/usr/bin/env python3
"""Stands in for the compiler of ASC: a launch becomes one of the CPU model, the rest is C++."""

import os
import re
import subprocess
import sys
from pathlib import Path

LAUNCH = re.compile(r"(\w+)<<<\s*([^,]+),\s*nullptr,\s*([^>]+)>>>\(([^;]*)\);")


def launched(match: re.Match[str]) -> str:
    kernel, blocks, stream, given = match.groups()
    values = [value.strip() for value in given.split(",")]
    types = ", ".join(f"static_cast<uint8_t*>(args[{number}])" for number in range(len(values)))
    return (
        f"void* const held[] = {{{', '.join(values)}}};\n"
        f'    return ascendsimLaunch("{kernel}", {blocks}, {stream}, [](void* const* args) {{'
        f" {kernel}({types}); }}, held, {len(values)});"
    )


def main() -> int:
    arguments = sys.argv[1:]
    arches = [one for one in arguments if one.startswith("--npu-arch=")]
    if arches != ["--npu-arch=dav-2201"]:
        print(f"error: --npu-arch is {arches}; it must be dav-2201", file=sys.stderr)
        return 1
    source = Path(arguments[-1])
    written = source.with_suffix(".translated.cpp")
    text, launches = LAUNCH.subn(launched, source.read_text())
    if not launches:
        print(f"error: {source} launches no kernel", file=sys.stderr)
        return 1
    written.write_text('#include "ascendsim.h"\n' + text)
    project = os.environ["STAND_IN_PROJECT"]
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O0", "-fPIC"]
    command += [one for one in arguments[:-1] if not one.startswith("--npu-arch=")]
    command += [f"-I{project}/simulator/language", f"-I{project}/simulator/include"]
    return subprocess.run([*command, str(written)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
