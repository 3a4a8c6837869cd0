"""What the driver of a run and its workers say to each other, as MessagePack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec


@dataclass(frozen=True)
class Job:
    """What every worker of a run is given.

    ``arguments`` are those of pytest behind the suite's own. ``environment`` holds variables by
    which texts name commands. ``folder`` is the driver's working directory. ``workers`` is how many
    processes share the budget.
    """

    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: str
    workers: int


class Begun(msgspec.Struct, kw_only=True):
    """What a session of pytest is told at its start, as an option.

    ``socket`` is the number of an inherited descriptor and ``parent`` the process at its other end.
    ``elapsed`` is the part of the budget that is gone, in seconds; None: it begins with the items.
    """

    socket: int
    parent: int
    worker: str
    workers: int
    probes: bool
    elapsed: float | None = None


class Do(msgspec.Struct, kw_only=True):
    """The items to judge next, by their ids; ``last``: the session ends behind them."""

    items: list[str] = []
    last: bool = False


class Message(msgspec.Struct, tag=True, kw_only=True):
    """What a worker says."""


class Ready(Message, kw_only=True):
    """A session knows its items: ``judges`` is what decides verdicts beside the device."""

    judges: dict[str, Any]


class Written(Message, kw_only=True):
    """A line of evidence, without its link; ``kind`` is the tag of its class."""

    kind: str
    line: bytes


class Bundled(Message, kw_only=True):
    """A file of a failure's bundle; ``path`` begins in the folder of the run."""

    path: str
    content: bytes


class Reported(Message, kw_only=True):
    """A report of pytest as JSON, of one phase of an item."""

    report: bytes


class Ended(Message, kw_only=True):
    """An item has ended; ``failure`` says how its device or its environment failed, if it did."""

    item: str
    failure: str = ""


class Closed(Message, kw_only=True):
    """A session has ended by itself; ``worked_out`` is what spares the driver work."""

    worked_out: dict[str, bytes]


class Gone(Message, kw_only=True):
    """The process of a session has ended; ``text`` is the end of what it printed."""

    status: int
    text: str


AnyMessage = Ready | Written | Bundled | Reported | Ended | Closed | Gone

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(AnyMessage).decode
decode_do = msgspec.msgpack.Decoder(Do).decode
