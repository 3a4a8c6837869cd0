"""Workloads: the sizes in which a published model calls its operators, and how it routes tokens.

A workload is a TOML file:

    model = "Mixtral-8x7B"
    source = "https://..."       where the sizes are stated
    experts = 8
    top_k = 2
    hidden = 4096
    shared_experts = 0           that every token has beside the routed ones
    ranks = 8                    which hold as many experts each; the middle one is looked at
    decode = [1, 8, 64, 512]     tokens of one step
    prefill = [4096, 8192]       tokens of a prompt
    chunked = [2048]             tokens of a part of a prompt
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from conformance.catalogue import record as say
from conformance.errors import UsageError, choice
from conformance.plain_file import read_given

BALANCED, SKEWED, ONE_HOT = ROUTINGS = ("balanced", "skewed", "one hot")
"""How tokens choose experts: all alike; by a power law; one of them in every token."""

ROUTING = {BALANCED: say.BALANCED, SKEWED: say.SKEWED, ONE_HOT: say.ONE_HOT}
"""The words for it."""

ENDING = ".toml"
OF_FILE = "name"
"""The field that no file says: it has the file's name."""

PAGE = "docs/how-to/workloads.md"
"""The rules of a file."""

MOST_BYTES = 1 << 16
"""Of a workload's file."""

Text = Annotated[str, Meta(min_length=1)]
Experts = Annotated[int, Meta(ge=1, le=2**20)]
Tokens = tuple[Annotated[int, Meta(ge=1, le=2**17)], ...]


class Workload(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The sizes of one model's calls; the module says what each is. ``name`` is its file's."""

    name: str = ""
    model: Text
    source: Text
    experts: Experts
    top_k: Annotated[int, Meta(ge=1, le=512)]
    hidden: Annotated[int, Meta(ge=1, le=2**17)]
    shared_experts: Annotated[int, Meta(ge=0, le=1024)] = 0
    ranks: Experts = 1
    decode: Tokens = ()
    prefill: Tokens = ()
    chunked: Tokens = ()

    @property
    def routing(self) -> tuple[int, int, int]:
        """What its calls with few columns depend on beside the number of tokens."""
        return self.experts, self.top_k, self.ranks


@dataclass(frozen=True)
class Batch:
    """Tokens that are routed together, each of so many ``columns``.

    ``routing`` is one of `ROUTINGS`, drawn from ``seed``.
    """

    workload: Workload
    tokens: int
    columns: int
    routing: str
    seed: int

    @property
    def text(self) -> str:
        """The batch in words."""
        return say.BATCH(
            model=self.workload.model,
            tokens=self.tokens,
            columns=self.columns,
            routing=ROUTING[self.routing](),
            experts=self.workload.experts,
        )

    def __str__(self) -> str:
        return str(self.text)

    @cached_property
    def experts(self) -> NDArray[np.int64]:
        """The experts of each token, all different, [tokens, top_k]."""
        one = self.workload
        return _experts(one.experts, one.top_k, self.tokens, self.routing, self.seed)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """The place of every slot in the order of their experts, equal ones in slot order."""
        order = np.argsort(self.experts.ravel(), kind="stable")
        found = np.empty_like(order)
        found[order] = np.arange(order.size)
        return np.asarray(found, np.int64)

    @property
    def held(self) -> tuple[int, int]:
        """The places of the slots whose experts the middle one of the workload's ranks holds."""
        each = -(-self.workload.experts // self.workload.ranks)
        first = self.workload.ranks // 2 * each
        below = np.sort(self.experts.ravel())
        start, end = np.searchsorted(below, (first, first + each))
        return int(start), int(end)


@lru_cache(maxsize=64)
def _experts(count: int, top_k: int, tokens: int, routing: str, seed: int) -> NDArray[np.int64]:
    generator = np.random.default_rng(seed)
    weights = np.zeros(count)
    if routing == SKEWED:
        weights = -np.log1p(generator.permutation(count))
    if routing == ONE_HOT:
        weights[generator.integers(count)] = np.inf
    # The largest of weights with Gumbel noise are a draw without replacement.
    noise = weights + generator.gumbel(size=(tokens, count))
    chosen = np.argpartition(-noise, top_k - 1, axis=1)[:, :top_k]
    order = np.argsort(-np.take_along_axis(noise, chosen, axis=1), axis=1, kind="stable")
    found = np.take_along_axis(chosen, order, axis=1).astype(np.int64)
    found.flags.writeable = False
    return found


def read(path: Path) -> Workload:
    """The workload of a file. Raises `UsageError` that names the file, the value and the rule."""
    try:
        text = read_given("workload", path, MOST_BYTES).decode()
        said = msgspec.toml.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError("workload", path, say.NO_TOML(error=str(error))) from error
    if wrong := _wrong_field(said, text):
        raise UsageError("workload", path, say.RULE_OF_FILE(rule=wrong, page=PAGE))
    made = msgspec.convert(said, Workload)
    if wrong := _wrong(made):
        raise UsageError("workload", path, say.RULE_OF_FILE(rule=wrong, page=PAGE))
    return msgspec.structs.replace(made, name=path.stem)


def own(folder: Path) -> tuple[Workload, ...]:
    """The workloads of a folder, by name."""
    return tuple(read(path) for path in sorted(folder.glob(f"*{ENDING}")))


def chosen(texts: Sequence[str], folder: Path) -> tuple[Workload, ...]:
    """The workloads that a person names: those of the folder, or files. Raises `UsageError`."""
    names = {path.stem: path for path in sorted(folder.glob(f"*{ENDING}"))}
    for text in texts:
        if text not in names and not text.endswith(ENDING):
            rule = say.NO_WORKLOAD(ending=ENDING, names=choice(text, names))
            raise UsageError("workload", text, rule)
    return tuple(read(names.get(text, Path(text))) for text in texts)


def _wrong_field(said: Mapping[str, object], text: str) -> str:
    """The first field of a file that breaks a rule by itself, with its line; "" if none does."""
    fields = {one.name: one for one in msgspec.structs.fields(Workload) if one.name != OF_FILE}
    for name, value in said.items():
        where = {"line": _line(text, name), "name": name}
        if name not in fields:
            return say.NO_FIELD(names=choice(name, fields), **where)
        try:
            msgspec.convert(value, fields[name].type)
        except msgspec.ValidationError as error:
            rule = str(error)
            rule = rule[:1].lower() + rule[1:]
            return say.BAD_FIELD(value=repr(value), rule=rule, **where)
    needed = [name for name, one in fields.items() if one.required]
    missing = [name for name in needed if name not in said]
    return say.MISSING_FIELD(name=missing[0], names=needed) if missing else ""


def _line(text: str, name: str) -> int:
    """The number of the line that says a field."""
    before = re.split(rf"(?m)^\s*[\"'\[]*{re.escape(name)}\b", text, maxsplit=1)[0]
    return before.count("\n") + 1


def _wrong(said: Workload) -> str:
    """What its sizes break together, "" if nothing."""
    if said.top_k > said.experts:
        return say.TOP_K(top_k=said.top_k, experts=said.experts)
    if said.experts % said.ranks:
        return say.RANKS(ranks=said.ranks, experts=said.experts)
    if not (said.decode or said.prefill or said.chunked):
        return say.NO_TOKENS()
    return ""
