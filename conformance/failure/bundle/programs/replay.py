#!/usr/bin/env python3
"""Makes the call of this bundle again: needs Python, numpy, and libascendcl.so with libopapi.so.

python replay.py [--libraries DIR] [--opapi FILE] [--order ORDER] [--device N]

Ends with 0 where the device is right, 1 where it shows the mistake, 2 where the bundle is not as it
was written, 3 where the libraries or the device are not there. See docs/how-to/replay.md of the
suite.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import signal
import sys
from ctypes import c_bool, c_double, c_int64, c_uint64
from ctypes import c_void_p as pointer
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # the bundle stays as it is
sys.path.insert(0, str(HERE))

from replay_device import (  # type: ignore  # noqa: E402
    POISON,
    POISON_AGAIN,
    Device,
    Ended,
    Tensor,
    call,
    filled,
)

RIGHT, WRONG, CHANGED, ENVIRONMENT = 0, 1, 2, 3
START_SECONDS = 120
SCALARS: Any = {
    "int64": c_int64,
    "bool": c_bool,
    "double": lambda value: c_double(float(value)),  # or a text: JSON has no infinity
}


def checked(path: str, sha256: str) -> bytes:
    """The content of a file of the bundle, which must have that hash."""
    raw = (HERE / path).read_bytes()
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise Ended(CHANGED, f"{path} was changed: it has not the sha256 that was written down")
    return raw


def content(path: str) -> bytes:
    """The bytes of a file that the manifest lists."""
    return checked(path, {one["path"]: one["sha256"] for one in MANIFEST["files"]}[path])


def load(path: str) -> Any:
    """An array of the bundle."""
    return np.load(io.BytesIO(content(path)), allow_pickle=False)


def check_called(options: Any) -> None:
    """Say on what the call failed; end where something else is called that nobody named."""
    told = json.loads(content("case.json")).get("implementation")
    if not told:
        return
    print(f"the call failed on: {MANIFEST['implementation']}")
    name = os.path.basename(options.opapi or "libopapi.so")
    maps = Path("/proc/self/maps").read_text().splitlines()
    loaded = next(Path(line.split(maxsplit=5)[5]) for line in maps if f"/{name}" in line)
    known = {one: sha for one, sha in told["libraries"].items() if one != "libascendcl.so"}
    files = [loaded.with_name(one) for one in known if loaded.with_name(one).is_file()]
    here = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}
    if told["source"] != "plugin" and here and all(known[one] == here[one] for one in here):
        return
    other = f"another implementation, or one built since: {loaded}"
    if not (options.libraries or options.opapi):
        raise Ended(ENVIRONMENT, f"{other}; nothing is judged unless --libraries names it")
    print(other)


def run(options: Any) -> int:
    """Make the calls before the call, then the call, and judge it; returns the program's status."""
    told, device = MANIFEST, Device(options)
    check_called(options)
    device.open(options.device)
    for number, one in enumerate(told["before"], 1):
        device.configure(one["machine"], told["device"], options.order)
        _, problems = make(device, one, one["guards"])
        device.findings()
        print(f"call {number} before it, {one['symbol']}: {'; '.join(problems) or 'made'}")
    print(device.configure(told["machine"], told["device"], options.order), flush=True)
    return judge(device, told, *make(device, told, "guards.npy"))


def make(
    device: Device, told: Any, zones: str, word: int = POISON
) -> tuple[dict[str, Tensor], list[str]]:
    """Make a call that finds a pattern in its outputs; its tensors, what is wrong with its end."""
    guards, memory = load(zones), told["memory"]
    tensors: dict[str, Tensor] = {}
    handles: list[Any] = []
    for place, argument in enumerate(told["arguments"]):
        kind, value = argument["kind"], argument["value"]
        numbers = (c_int64 * len(value))(*value) if isinstance(value, list) else None
        if kind == "tensor":
            tensor = Tensor(argument, guards[len(tensors)], device, place, memory, word, load)
            tensors[argument["name"]] = tensor
            handles.append(tensor.handle)
        elif kind in SCALARS:
            handles.append(SCALARS[kind](value))
        elif kind == "int array" and value is not None:
            create = device.function(device.operators, "aclCreateIntArray", pointer)
            handles.append(pointer(create(numbers, c_uint64(len(value)))))
        elif kind == "numbers":
            handles += [numbers, c_uint64(len(value or ()))]
        else:
            handles.append(pointer(None))
    return tensors, call(device, told, handles, guards[-1])


def judge(device: Device, told: Any, tensors: dict[str, Tensor], problems: list[str]) -> int:
    """Compare what the device left with what is accepted."""
    ended = not problems
    seen: dict[str, Any] = {}
    for name, tensor in tensors.items():
        elements, changed = tensor.look()
        if changed:
            what = "bytes outside of" if tensor.told["role"] == "output" else "bytes of the input"
            problems.append(f"{changed} {what} {name} were written")
        if tensor.told["role"] == "output":
            seen[name] = np.ascontiguousarray(elements).reshape(-1).view(f"<u{tensor.size}")
    untouched = {name: holds(bits, POISON, told) for name, bits in seen.items()}
    if told["status"] == 0 and ended:
        if any(held.any() for held in untouched.values()):
            problems += settle(device, told, untouched)
        for name in [name for name in seen if name in told["accepted"]]:
            problems += judge_output(name, tensors[name], seen[name], untouched[name])
    for name in [name for name in seen if told["status"] != 0 and not untouched[name].all()]:
        problems.append(f"{name} was written to by a call that must be rejected")
    if '"severity":"error"' in device.findings():
        problems.append("the simulated device reports an error")
    for problem in problems:
        print(f"wrong: {problem}")
    print("the device shows the mistake" if problems else "the device is right")
    return WRONG if problems else RIGHT


def holds(bits: Any, word: int, told: Any) -> Any:
    """Which elements hold what outputs hold before a call, if they hold a pattern then."""
    return (bits == filled(bits.nbytes, word).view(bits.dtype)) & (told["memory"] == "poisoned")


def settle(device: Device, told: Any, untouched: dict[str, Any]) -> list[str]:
    """Make the call again, on another pattern: only what holds that one then was never written.

    A right call may write any value, that of the first pattern too.
    """
    tensors, problems = make(device, told, "guards.npy", POISON_AGAIN)
    for name, held in untouched.items():
        elements, _ = tensors[name].look()
        bits = np.ascontiguousarray(elements).reshape(-1).view(f"<u{tensors[name].size}")
        held &= holds(bits, POISON_AGAIN, told)
    return [f"in a second call, which found other bytes in its outputs: {one}" for one in problems]


def judge_output(name: str, tensor: Tensor, bits: Any, untouched: Any) -> list[str]:
    """One output: every element, by the patterns that the bundle stores."""
    told = MANIFEST["accepted"][name]
    kind, files = told["kind"], {key: load(path) for key, path in told["files"].items()}
    if kind in ("anything", "not stored"):
        print(f"{name}: not judged, {told['reason'] or 'nothing is promised of it'}")
        return []
    if kind == "exact":
        ok = bits == files["bits"].reshape(-1)
        silent = files["specified"].reshape(-1) == 0 if "specified" in files else ~ok & False
    else:
        ok, silent = within(bits, told, files)
    wrong = (~ok | untouched) & ~silent
    count, unwritten = int(np.count_nonzero(wrong)), int(np.count_nonzero(untouched & ~silent))
    same = "other bytes than observed"
    seen = MANIFEST["observed"]["outputs"].get(name)
    if seen is None:
        same = "no bytes were observed"
    elif hashlib.sha256(bits.tobytes()).hexdigest() == seen["sha256"]:
        same = "the bytes that were observed"
    print(f"{name}: {bits.size - count} of {bits.size} elements are accepted; {same}")
    if not count:
        return []
    first = int(wrong.argmax())
    place = ", ".join(str(int(i)) for i in np.unravel_index(first, tensor.shape))
    left = f", {unwritten} never written" if unwritten else ""
    found = f"0x{int(bits[first]):0{2 * tensor.size}x}"
    must = accepted_at(first, 2 * tensor.size, told, files)
    return [f"{name}: {count} elements{left}; first [{place}] is {found}, accepted {must}"]


def accepted_at(element: int, digits: int, told: Any, files: Any) -> str:
    """The first range that an element accepts, in words."""
    if "bits" in files:
        return f"0x{int(files['bits'].reshape(-1)[element]):0{digits}x}"
    at, sign = files["starts"][element], 1 << (told["storage_bits"] - 1)
    ends = dict.fromkeys(int(files[end][at]) for end in ("low", "high"))
    if not told["infinity_bits"]:  # integers
        return " to ".join(f"0x{end % (2 * sign):0{digits}x}" for end in ends)
    return " to ".join(f"0x{end if end >= 0 else -end | sign:0{digits}x}" for end in ends)


def within(bits: Any, told: Any, files: Any) -> tuple[Any, Any]:
    """Which patterns lie in one of their ranges, and for which every pattern does."""
    starts, low, high = files["starts"], files["low"], files["high"]
    top = 1 << (told["storage_bits"] - 1)
    pattern = bits.astype(np.int64)
    ordered = np.where(pattern & top, -(pattern & (top - 1)), pattern)
    nan = (pattern & (top - 1)) > told["infinity_bits"]
    ordered = np.where(nan, told["infinity_bits"] + 1, ordered)
    if not told["infinity_bits"]:  # integers
        ordered = pattern - 2 * (pattern & top)
    owner = np.repeat(np.arange(bits.size), np.diff(starts))
    ok, silent = np.zeros(bits.size, np.bool_), np.zeros(bits.size, np.bool_)
    inside = (low <= ordered[owner]) & (ordered[owner] <= high)
    ok[owner[inside]] = True
    silent[owner[low == -(2**31)]] = True
    return ok, silent


def in_a_process(options: Any) -> int:
    """Run in a child, so that a crash and a hang are answers too."""
    limit = START_SECONDS + round(MANIFEST["time_limit"])
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = ENVIRONMENT
        signal.alarm(limit)
        try:
            status = run(options)
        except Ended as ended:
            status, why = ended.args
            print(why)
        finally:
            sys.stdout.flush()
            os._exit(status)
    state = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(state):
        return os.WEXITSTATUS(state)
    number = os.WTERMSIG(state)
    late = f"the call did not end within {limit} s"
    print(f"wrong: {late if number == signal.SIGALRM else f'signal {number} ended the call'}")
    print("the device shows the mistake")
    return WRONG


def main() -> int:
    """Read the options and the bundle, make the call."""
    global MANIFEST
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--libraries", metavar="DIR", help="of libascendcl.so and libopapi.so")
    parser.add_argument("--opapi", metavar="FILE", help="the operator library, if another one")
    parser.add_argument("--order", default="", help="of blocks: forward, reverse, shuffled:SEED")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="device number")
    options = parser.parse_args()
    try:
        first = (HERE / "SHA256SUMS").read_text("ascii", "replace")
        MANIFEST = json.loads(checked("manifest.json", first.partition(" ")[0]))
        print("{operator}, {mode}, {dtype}: {symbol}".format(**MANIFEST))
        return in_a_process(options)
    except Ended as ended:
        print(ended.args[1])
        return int(ended.args[0])
    except (OSError, ValueError, KeyError) as error:
        print(f"the bundle cannot be read: {error!r}")
        return CHANGED


MANIFEST: Any = None

if __name__ == "__main__":
    sys.exit(main())
