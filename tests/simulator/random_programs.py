"""Random programs of one core's instructions, for the test kernel `script`, and which of their
instructions nothing orders."""

from __future__ import annotations

import random

from tests.simulator.happens_before import Block, Graph, Instruction, Touched, unordered

EVENTS = ("MTE2_V", "V_MTE2", "MTE3_V", "V_MTE3", "MTE2_MTE3", "MTE3_MTE2")
EVENTS += ("S_V", "V_S", "S_MTE2", "MTE2_S", "S_MTE3", "MTE3_S")
BARRIERS = ("V", "MTE2", "MTE3", "ALL")
COPY_IN, COPY_OUT, COPY_BACK, ADD_COUNT, ADD_LANES, READ, WRITE, SET, WAIT, BARRIER = range(10)
STEPS, ELEMENTS = 14, 32

Step = tuple[int, int, int, int]


def program(draw: random.Random, block: int) -> list[Step]:
    """Steps that break no other rule: flags are set once and waited for, operands fit UB.

    Some programs are careful, so that many stop late or never; blocks share a few bytes of output.
    """
    care = draw.choice([0.0, 0.5, 0.9])
    steps: list[Step] = []
    raised: list[tuple[int, int]] = []
    while len(steps) < STEPS - len(raised):
        kind = draw.choice([*range(READ + 2), SET, SET, WAIT, BARRIER])
        if draw.random() < care:
            kind = draw.choice([SET, WAIT, BARRIER, BARRIER])
        at, count = 8 * draw.randrange(3), draw.randint(1, 8)
        if kind == SET:
            flag = (draw.randrange(len(EVENTS)), draw.randrange(2))
            if flag not in raised and len(steps) + len(raised) + 2 <= STEPS:
                raised.append(flag)
                steps.append((SET, *flag, 0))
        elif kind == WAIT:
            if raised:
                steps.append((WAIT, *raised.pop(draw.randrange(len(raised))), 0))
        elif kind == BARRIER:
            steps.append((BARRIER, draw.randrange(len(BARRIERS)), 0, 0))
        elif kind in (READ, WRITE):
            steps.append((kind, draw.randrange(ELEMENTS), 0, 0))
        elif kind == ADD_LANES:
            steps.append((kind, at, 8 * draw.randrange(3), draw.randint(1, 255)))
        elif kind == ADD_COUNT:
            steps.append((kind, at, 8 * draw.randrange(3), count))
        else:
            place = draw.randrange(24) + (draw.choice([0, 28]) * block if kind != COPY_IN else 0)
            steps.append((kind, at, place, count))
    return steps + [(WAIT, *flag, 0) for flag in raised]


def lanes(mask: int, at: int) -> list[tuple[int, int]]:
    return [(4 * (at + lane), 4 * (at + lane + 1)) for lane in range(8) if mask >> lane & 1]


def accesses(step: Step) -> tuple[str, list[Touched]]:
    """The pipe of a step and the bytes that it touches, as docs and interface say."""
    kind, x, y, z = step
    ub, out = (4 * x, 4 * (x + z)), (4 * y, 4 * (y + z))
    padded = (4 * x, 4 * x + (4 * z + 31) // 32 * 32)
    if kind == COPY_IN:
        return "MTE2", [Touched("w", "ub", *padded)]
    if kind == COPY_OUT:
        return "MTE3", [Touched("r", "ub", *ub), Touched("w", "result", *out)]
    if kind == COPY_BACK:
        return "MTE2", [Touched("w", "ub", *padded), Touched("r", "result", *out)]
    if kind == ADD_COUNT:
        return "V", [Touched("w", "ub", *ub), Touched("r", "ub", *out)]
    if kind == ADD_LANES:
        written = [Touched("w", "ub", *part) for part in lanes(z, x)]
        return "V", written + [Touched("r", "ub", *part) for part in lanes(z, y)]
    return "S", [Touched("w" if kind == WRITE else "r", "ub", 4 * x, 4 * x + 4)]


def chained(steps: list[Step]) -> list[Step]:
    """The steps without their flags and barriers, each in order behind the one before it alone: by
    a flag of the two pipes, or a barrier of their pipe."""
    ordered: list[Step] = []
    before = ""
    for step in steps:
        if step[0] in (SET, WAIT, BARRIER):
            continue
        pipe, _ = accesses(step)
        if before and pipe != before:
            event = EVENTS.index(f"{before}_{pipe}")
            ordered += [(SET, event, 0, 0), (WAIT, event, 0, 0)]
        elif before and pipe != "S":
            ordered.append((BARRIER, BARRIERS.index(pipe), 0, 0))
        ordered.append(step)
        before = pipe
    return ordered


def graph_of(programs: list[list[Step]]) -> tuple[Graph, list[Instruction]]:
    """The graph of programs and their instructions, blocks one after the other."""
    graph, instructions = Graph(), list[Instruction]()
    for index, steps in enumerate(programs):
        block = Block(graph, index)
        for number, step in enumerate(steps):
            kind, x, y, _ = step
            if kind in (SET, WAIT):
                source, waiter = EVENTS[x].split("_")
                (block.set_flag if kind == SET else block.wait_flag)(source, waiter, y)
            elif kind == BARRIER:
                block.barrier(BARRIERS[x])
            else:
                instructions.append(block.execute((index, number), *accesses(step)))
    return graph, instructions


def first_unordered(programs: list[list[Step]]) -> tuple[int, int] | None:
    """Block and step at which the first conflict is complete, blocks one after the other."""
    found = unordered(*graph_of(programs))
    return min((second.label for _, second in found), default=None)  # type: ignore[type-var]


def legal(steps: list[Step]) -> bool:
    """Whether no operand of a vector instruction overlaps its result the wrong way."""
    return all(
        x == y or abs(x - y) >= 8 for kind, x, y, _ in steps if kind in (ADD_COUNT, ADD_LANES)
    )


def parameters(programs: list[list[Step]]) -> list[int]:
    """What the kernel `script` is given to run them, a block for each; all are equally long."""
    (steps,) = {len(one) for one in programs}
    return [steps, *(number for one in programs for step in one for number in step)]
