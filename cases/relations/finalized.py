"""Relations of operators that finalize with calls of their own, and of other versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from cases.relations.adjoints import with_small
from cases.relations.slot_sums import title_of
from conformance.call.case import Case, Tensor, numpy_dtype
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.record.variations import with_attributes
from conformance.relations.axes import held, on_lattice

Asked = Callable[[Case], Case | None]


def _same(name: str, text: str, source: str, given: Asked, asked: Asked, **how: object) -> Relation:
    """What is ``given`` of a drawn call has the out of the call that is ``asked`` of it."""

    def prepared(drawn: Case) -> Case | None:
        if any(0 in one.shape for one in (*drawn.inputs.values(), *drawn.outputs.values())):
            return None
        case = None if drawn.inputs["expanded_x"].rows else given(drawn)
        return None if case is None or asked(case) is None else case

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        other = asked(case)
        if other is not None:
            yield from difference("out", outputs["out"], run(other)["out"], name, sums=True)

    return Relation(name, inferred(text, source), broken, prepared, **how)  # type: ignore[arg-type]


def version(other: str, modes: tuple[str, ...], *attributes: str, **given: int) -> Relation:
    """On small integers another version has the same sums, without these of its attributes, and
    with those that are ``given``; where it tells no slots, with scales of 1 in place of none."""

    def asked(case: Case) -> Case | None:
        kept = {k: v for k, v in case.attributes.items() if k not in attributes} | given
        inputs = dict(case.inputs)
        slots = case.inputs["expanded_row_idx"].size // case.outputs["out"].shape[0]
        if "scales" not in inputs and slots > 1:
            ones = np.ones((case.outputs["out"].shape[0], slots), numpy_dtype(case.dtype))
            inputs["scales"] = held(Tensor((), case.dtype), ones)
        return replace(case, operator=other, attributes=kept, inputs=inputs)

    text = f"of small integers the sums of {title_of(other)} are the same"
    source = "both documents' equations, exact on such data"
    return _same(
        f"by {title_of(other)}", text, source, on_lattice, asked, modes=modes, beside=(other,)
    )


def layouts(modes: tuple[str, ...]) -> Relation:
    """Indices laid out column by column or row by row come to the same sums of small integers.

    ``modes`` are in the order of dropPadMode.
    """

    def asked(case: Case) -> Case:
        at, tokens = modes.index(case.mode), case.outputs["out"].shape[0]
        indices = np.asarray(case.arrays["expanded_row_idx"])
        turned = indices.reshape((-1, tokens) if at < 2 else (tokens, -1)).T.ravel()
        given = {**case.inputs, "expanded_row_idx": held(Tensor((), "int32"), turned)}
        other = with_attributes(replace(case, inputs=given), drop_pad_mode=(at + 2) % 4)
        return replace(other, mode=modes[(at + 2) % 4])

    text = "transposed indices in the other layout come to the same sums"
    return _same("the other layout", text, "dropPadMode", on_lattice, asked, modes=modes)


def in_place(mode: str, ranges: tuple[str, str, str]) -> Relation:
    """Of small integers, experts without rows come to what rows in their place do: a copy of x,
    alpha1 * x + alpha2 * v, and for a zero expert any row, with a scale of 0.

    ``ranges`` are the attributes that name zero, copy and constant experts.
    """

    def given(drawn: Case) -> Case:
        return with_small(drawn, "expanded_x", "x1", "x2", "bias", "x", "v", "scales", most=2)

    def asked(case: Case) -> Case:
        arrays, (tokens, hidden) = case.arrays, case.outputs["out"].shape
        experts = np.asarray(arrays["expert_idx"])
        zero, copy, constant = (
            np.zeros(experts.shape, np.bool_)
            if one is None
            else (experts >= one[0]) & (experts < one[1])
            for one in (case.attributes[name] for name in ranges)
        )
        by_column = case.attributes["drop_pad_mode"] < 2
        ranks = np.array(arrays["expanded_row_idx"])
        ranks = ranks.reshape(-1, tokens).T if by_column else ranks.reshape(tokens, -1)
        listed = np.asarray(arrays["expanded_x"], np.float64).reshape(-1, hidden)
        rows = np.where(ranks[..., None] < 0, 0, listed[ranks])
        if copy.any() or constant.any():
            x = np.asarray(arrays["x"], np.float64)[:, None]
            rows = np.where(copy[..., None], x, rows)
        if constant.any():
            start = case.attributes[ranges[2]][0]
            alpha1, alpha2, v = (
                np.asarray(arrays[name], np.float64)[np.where(constant, experts - start, 0)]
                for name in ("alpha1", "alpha2", "v")
            )
            rows = np.where(constant[..., None], alpha1 * x + alpha2 * v, rows)
        scales = np.ones(experts.shape)
        if "scales" in arrays:
            scales = np.asarray(arrays["scales"], np.float64)
        inputs = {
            name: one for name, one in case.inputs.items() if name in ("x1", "x2", "expert_idx")
        }
        stored = numpy_dtype(case.dtype)
        if "bias" in arrays:
            inputs["bias"] = case.inputs["bias"]
        inputs |= {
            "expanded_x": held(Tensor((), case.dtype), rows.reshape(-1, hidden).astype(stored)),
            "expanded_row_idx": held(Tensor((), "int32"), np.arange(experts.size, dtype=np.int32)),
            "scales": held(Tensor((), case.dtype), np.where(zero, 0, scales).astype(stored)),
        }
        order = ("expanded_x", "expanded_row_idx", "x1", "x2", "bias", "scales", "expert_idx")
        plain = replace(
            case,
            mode="dropless_rows",
            inputs={name: inputs[name] for name in order if name in inputs},
        )
        return with_attributes(plain, drop_pad_mode=2, **dict.fromkeys(ranges))

    text = "an expert without rows adds what a row in its place adds"
    return _same(
        "rows in place", text, "the equation by kinds of experts", given, asked, modes=(mode,)
    )
