"""Loops of a kernel and its host tiling, and the most rounds that a call goes round each.

The sources are copied and each loop is given a counter: the most rounds of one entry lie in a file
that all device processes share. The compiled code lists the loops that it has: those of a template
that nobody instantiates are not among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from conformance import places
from conformance.devices.kernel_copies import compile_copy, copy_kernel
from device_kernels.build import build

COUNTERS = "SUITE_LOOPS"
"""The environment variable that names the file of the counters."""

MOST_LOOPS = 1024
LANGUAGE = '#include "kernel_operator.h"\n'
"""What is compiled once for all kernels, if nothing is before it."""

HEAD = re.compile(r"^[ \t]*(?P<head>(?:for|while) \()", re.M)
COMPILED = re.compile(rb"<loop (\d+)>")
PRELUDE = (
    r"""
#ifndef SUITE_LOOPS
#define SUITE_LOOPS
#pragma GCC optimize("O1")  // compiled once, and called little: -O3 takes half as long again
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>
namespace suite {
inline unsigned* Counters() {
    static unsigned* const counters = [] {
        const int file = ::open(std::getenv("SUITE_LOOPS"), O_RDWR);
        const int access = PROT_READ | PROT_WRITE;
        void* const memory = ::mmap(nullptr, 4 * MOST_LOOPS, access, MAP_SHARED, file, 0);
        ::close(file);
        return static_cast<unsigned*>(memory);
    }();
    return counters;
}
template <int NUMBER>
class Loop {
public:
    __attribute__((always_inline)) Loop() {
        asm volatile(
            ".pushsection suite_loops,\"\"\n.ascii \"<loop %c0>\"\n.popsection" ::"i"(NUMBER));
    }
    void Round() {
        ++rounds_;
        unsigned& most = Counters()[NUMBER];
        most = rounds_ > most ? rounds_ : most;
    }

private:
    unsigned rounds_ = 0;
};
}  // namespace suite
#endif
"""
).replace("MOST_LOOPS", str(MOST_LOOPS))


@dataclass(frozen=True)
class Loop:
    """One loop: its file below the folder of kernels, line, and head."""

    file: str
    line: int
    head: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.head}"


@dataclass(frozen=True)
class Counted:
    """Libraries with a counter in each loop: the loops that they have, by number."""

    lib: Path
    loops: dict[int, Loop]
    rounds: NDArray[np.uint32]

    def once(self) -> list[Loop]:
        """The loops that no call has gone round twice."""
        return [loop for number, loop in self.loops.items() if self.rounds[number] < 2]


def loops_of(file: str, text: str) -> list[Loop]:
    """The loops of a source, in order."""
    return [
        Loop(file, text.count("\n", 0, start) + 1, " ".join(text[start:body].split()))
        for start, body in _places(text)
    ]


def counting(text: str, first: int) -> str:
    """The source with a counter in each loop, numbered from ``first`` on."""
    language = text.find(LANGUAGE)
    end = 0 if language < 0 else language + len(LANGUAGE)
    changed = [text[:end], PRELUDE]
    for number, (start, body) in enumerate(_places(text), first):
        changed += [text[end:start], f"if (suite::Loop<{number}> loop{number}; true) "]
        changed += [text[start : body + 1], f" loop{number}.Round();"]
        end = body + 1
    return "".join([*changed, text[end:]])


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Of each loop, where its head begins and where the brace of its body is.

    Raises ValueError for a body without braces.
    """
    for match in HEAD.finditer(text):
        depth, at = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        body = at + len(text[at:]) - len(text[at:].lstrip())
        if text[body] != "{":
            raise ValueError(f"body of {text[match.start('head') : at]}: must have braces")
        yield match.start("head"), body


def compiled(operator: str, files: Sequence[str], folder: Path) -> Counted:
    """Build an operator with counters in these of its files, in an empty folder.

    The caller's `COUNTERS` must name ``folder / "counters"`` before a device is opened.
    """
    copy = folder / "kernels"
    copy_kernel(places.own_kernels() / operator, copy)
    loops: list[Loop] = []
    for file in files:
        text = (copy / file).read_text(encoding="utf-8")
        (copy / file).write_text(counting(text, len(loops)), encoding="utf-8")
        loops += loops_of(file, text)
    lib = compile_copy(copy / operator, folder / "tree", build(quiet=True).runtime, "all")
    there = sorted({int(one) for one in COMPILED.findall((lib / "libopapi.so").read_bytes())})
    counters = folder / "counters"
    counters.write_bytes(bytes(4 * MOST_LOOPS))
    rounds = np.memmap(counters, np.uint32, "r+")
    return Counted(lib, {number: loops[number] for number in there}, rounds)
