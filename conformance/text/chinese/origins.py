"""Where wrong elements were read that nobody wrote, in Chinese."""

from __future__ import annotations

from conformance.text.chinese.verdicts import Phrase

ORIGINS = {
    "an output that nobody wrote": "未写过的输出",
    "the gaps between the elements of an input": "输入元素之间的空隙",
    "the gaps between the elements of an output": "输出元素之间的空隙",
    "a workspace that nobody wrote": "未写过的工作区",
    "device memory that nobody wrote": "未写过的设备内存",
    "a unified buffer that nobody filled": "未填充的 UB 缓冲区",
    "a guard zone, outside of every tensor": "张量之外的保护区",
}
"""Where patterns lie (`conformance.poison`)."""

READ_FROM = rf"read from ({'|'.join(ORIGINS)}): (\d+) of (\d+) wrong elements "

PHRASES: tuple[Phrase, ...] = (
    (READ_FROM, lambda m: f"读自{ORIGINS[m[1]]}：{m[3]} 个错误元素中有 {m[2]} 个"),
    (r"hold odd words of it, from (\w+) to (\w+)", r"为其中的奇数字（\1 至 \2）"),
    (r"hold the bytes (0x\w+) and (0x\w+)", r"为字节 \1 与 \2"),
    (r"hold (0x\w+), its bytes exchanged", r"为 \1（字节互换）"),
    (r"hold (0x\w+), a part of it", r"为 \1（其一部分）"),
    (r"hold (0x\w+), (bfloat16|float16) widened", r"为 \1（由 \2 扩展）"),
    (r"hold (0x\w+)", r"为 \1"),
    (r"lie less than (\d+) beside (0x\w+)", r"与 \2 相差不到 \1"),
    (r"are (\d+) times (0x\w+) and less than \d+ more", r"为 \2 的 \1 倍并加上不到 \1 的数"),
)
