"""Which cards a host shows, and which of them somebody judges on: one process for each card.

A card is claimed by a lock on a file named after its *physical* number, in a folder that all users
of a host share. The operating system gives the lock back when the process ends, however it ends, so
that no card stays claimed by a process that was killed.

Three numbers are told apart (CANN, aclrtGetPhyDevIdByLogicDevId): the user's, which aclrtSetDevice
takes; the logical one, which ASCEND_RT_VISIBLE_DEVICES lists; the physical one of /dev/davinciN,
which alone means the same card in every process and container of the host.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import os
import platform
import re
import stat
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.catalogue import cards as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.errors import EnvironmentFailure, text_of

FOLDER = "MOE_CONFORMANCE_CARDS"
"""The environment variable that names the folder of the locks (docs/how-to/npu-host.md)."""

VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"
PATIENCE = 1.0
"""Seconds for which a claim is tried: a device that has just been closed lets go of its card."""

LOCKED_OUT_SECONDS = 3600.0
"""How long nobody takes a card that was lost; then it is tried again."""


@dataclass(frozen=True)
class Card:
    """A card: ``number`` is the user's, as in ``npu:0``; ``physical`` that of its device node."""

    number: int
    physical: int

    def __str__(self) -> str:
        return str(self.words)

    @property
    def words(self) -> str:
        """The card as a person reads it."""
        if self.number == self.physical:
            return say.CARD(number=self.number)
        return say.CARD_OF_NUMBER(number=self.number, physical=self.physical)


class Holder(msgspec.Struct):
    """Who holds a lock, as far as it has said so; ``host`` is a container's own name in one."""

    pid: int
    user: str = ""
    host: str = ""

    @property
    def words(self) -> str:
        """The holder as a person reads it."""
        there = "" if self.host in ("", platform.node()) else say.ON_HOST(host=self.host)
        whose = say.OF_USER(user=self.user) if self.user else ""
        return row([say.PROCESS(pid=self.pid), there, whose])


class Lost(msgspec.Struct):
    """Why a card is locked out, and since when (seconds of the epoch)."""

    reason: str
    since: float


class Busy(Exception):  # noqa: N818 - a word of its own
    """The card is not to be had: the text says who has it, or why nobody may."""


class Claim:
    """The lock of one card; the operating system gives it back when the process ends."""

    def __init__(self, card: Card, folder: Path) -> None:
        """Take the lock. Raises `Busy`, OSError where the folder cannot be written."""
        self.card = card
        path = folder / f"card{card.physical}.lock"
        self._descriptor = _opened(path)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _read(self._descriptor, Holder)
            os.close(self._descriptor)
            who = say.ANOTHER_PROCESS() if holder is None else holder.words
            raise Busy(say.CLAIMED(card=card.words, holder=who)) from None
        if (lost := _locked_out(card, folder)) is not None:
            os.close(self._descriptor)
            at = time.strftime("%H:%M", time.localtime(lost.since))
            file = _lost_file(card, folder)
            told = {"since": at, "reason": lost.reason, "file": file}
            raise Busy(say.LOCKED_OUT(card=card.words, **told))
        _write(self._descriptor, Holder(os.getpid(), _user(), platform.node()))

    def release(self) -> None:
        """Give the card back. Releasing twice is harmless."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1


def lock_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where the locks lie: what MOE_CONFORMANCE_CARDS names, else a folder of temporary files
    that all users of the host can write. Raises EnvironmentFailure where it cannot be made.
    """
    named = (os.environ if environment is None else environment).get(FOLDER)
    path = Path(named) if named else Path(tempfile.gettempdir()) / "moe-conformance-cards"
    try:
        path.mkdir(parents=True)
        # As /tmp itself: everybody makes files there, and removes no one else's.
        path.chmod(0o777 | stat.S_ISVTX)
    except FileExistsError:
        pass
    except OSError as error:
        raise EnvironmentFailure(_cannot(path, error)) from error
    if not path.is_dir() or not os.access(path, os.W_OK | os.X_OK):
        raise EnvironmentFailure(_cannot(path, PermissionError(13, say.NO_FOLDER())))
    return path


def nodes(devices: Path) -> tuple[int, ...]:
    """The physical numbers of the cards whose nodes are in ``devices`` (/dev), ascending."""
    named = (re.fullmatch(r"davinci(\d+)", path.name) for path in devices.glob("davinci*"))
    return tuple(sorted(int(one[1]) for one in named if one))


def visible(text: str, count: int | None) -> tuple[int, ...]:
    """The logical numbers that ASCEND_RT_VISIBLE_DEVICES leaves a process, of ``count`` cards.

    Ascending numbers with commas between them, no spaces; what follows the first that is none of
    these is not read (CANN, Environment Variables, ASCEND_RT_VISIBLE_DEVICES).
    """
    taken: list[int] = []
    for word in text.split(","):
        number = re.match(r"\d+", word, re.ASCII)
        if number is None or (taken and int(number[0]) <= taken[-1]):
            break
        if count is not None and int(number[0]) >= count:
            break
        taken.append(int(number[0]))
        if number[0] != word:
            break
    return tuple(taken)


def host_cards(devices: Path, environment: Mapping[str, str] | None = None) -> tuple[Card, ...]:
    """The cards that this process can use, as the runtime counts them; none where no node is."""
    physical = nodes(devices)
    text = (os.environ if environment is None else environment).get(VISIBLE)
    logical = range(len(physical)) if text is None else visible(text, len(physical))
    return tuple(Card(at, physical[number]) for at, number in enumerate(logical))


def wanted_cards(which: str, devices: Path) -> tuple[Card, ...]:
    """The cards that ``which`` names, such as ``0,2``; all of the host where it names none.

    Where no node tells of any, the runtime is to say what it has: card 0 stands for all then, and a
    number for itself, or for what ASCEND_RT_VISIBLE_DEVICES has in its place. Raises ValueError for
    a card that the process cannot use.
    """
    there = host_cards(devices)
    numbers = [int(number) for number in which.split(",")] if which else []
    if not nodes(devices):
        seen = dict(enumerate(visible(os.environ.get(VISIBLE, ""), None)))
        return tuple(Card(number, seen.get(number, number)) for number in numbers or [0])
    known = {card.number: card for card in there}
    for number in numbers:
        if number not in known:
            raise ValueError(say.NOT_THERE(number=number, seen=_shown(there, devices)))
    if not there:
        raise ValueError(_shown(there, devices))
    return tuple(known[number] for number in numbers) if numbers else there


def claim(cards: Sequence[Card], place: Path) -> Claim:
    """The first of ``cards`` that nobody holds. Raises EnvironmentFailure: who holds each."""
    until = time.monotonic() + PATIENCE
    while True:
        told = []
        for card in cards:
            try:
                return Claim(card, place)
            except Busy as busy:
                told.append(text_of(busy))
            except OSError as error:
                raise EnvironmentFailure(_cannot(place, error)) from error
        if time.monotonic() >= until:
            raise EnvironmentFailure(say.NONE_FREE(cards=row(told, SEMICOLON)))
        time.sleep(PATIENCE / 20)


def free(cards: Sequence[Card], place: Path) -> int:
    """How many of ``cards`` could be claimed now."""
    count = 0
    for card in cards:
        with contextlib.suppress(Busy, OSError):
            Claim(card, place).release()
            count += 1
    return count


def lock_out(card: Card, place: Path, reason: str) -> None:
    """Have nobody take a card for a while; the file says why."""
    with contextlib.suppress(OSError):
        descriptor = _opened(_lost_file(card, place))
        try:
            _write(descriptor, Lost(reason, time.time()))
        finally:
            os.close(descriptor)


def _locked_out(card: Card, place: Path) -> Lost | None:
    try:
        lost = msgspec.json.decode(_lost_file(card, place).read_bytes(), type=Lost)
    except (OSError, msgspec.MsgspecError):
        return None
    return lost if 0 <= time.time() - lost.since < LOCKED_OUT_SECONDS else None


def _lost_file(card: Card, place: Path) -> Path:
    return place / f"card{card.physical}.lost"


def _shown(cards: Sequence[Card], devices: Path) -> str:
    """What the process can use of the host's cards, in words."""
    told = {"count": len(nodes(devices)), "folder": devices, "seen": len(cards)}
    if VISIBLE in os.environ:
        return say.SEEN_WITH(variable=f"{VISIBLE}={os.environ[VISIBLE]}", **told)
    return say.SEEN(**told)


def _opened(path: Path) -> int:
    """A descriptor of a file that all users may lock and write; never of what a link leads to.

    The file of somebody else is opened without O_CREAT, which the kernel would refuse in a folder
    such as /tmp (fs.protected_regular).
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, flags)
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return os.open(path, flags)
    os.fchmod(descriptor, 0o666)
    return descriptor


def _read(descriptor: int, kind: type[Holder]) -> Holder | None:
    try:
        return msgspec.json.decode(os.pread(descriptor, 4096, 0), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None


def _write(descriptor: int, told: Holder | Lost) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, msgspec.json.encode(told, enc_hook=str), 0)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return str(os.getuid())


def _cannot(path: Path, error: OSError) -> str:
    return say.LOCKS_UNUSABLE(folder=path, why=error.strerror, variable=FOLDER)
