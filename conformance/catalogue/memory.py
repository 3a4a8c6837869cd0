"""Memory that nobody wrote, and what is read of it."""

from conformance.catalogue.message import Message

OUTPUT = Message("an output that nobody wrote", "未写过的输出")
INPUT_GAPS = Message("the gaps between the elements of an input", "输入元素之间的空隙")
OUTPUT_GAPS = Message("the gaps between the elements of an output", "输出元素之间的空隙")
WORKSPACE = Message("a workspace that nobody wrote", "未写过的工作区")
FRESH = Message("device memory that nobody wrote", "未写过的设备内存")
UB = Message("a unified buffer that nobody filled", "未填充的 UB 缓冲区")
GUARD = Message("a guard zone, outside of every tensor", "张量之外的保护区")

READ_FROM = Message(
    "read from {where}: {count} of {size} wrong elements {held}",
    "读自{where}：{size} 个错误元素中有 {count} 个{held}",
)
ODD_WORDS = Message(
    "hold odd words of it, from {least:#x} to {most:#x}",
    "为其中的奇数字（{least:#x} 至 {most:#x}）",
)
BYTES = Message("hold the bytes {low:#04x} and {high:#04x}", "为字节 {low:#04x} 与 {high:#04x}")
PATTERN = Message("hold {value:#x}", "为 {value:#x}")
EXCHANGED = Message("hold {value:#x}, its bytes exchanged", "为 {value:#x}（字节互换）")
PART = Message("hold {value:#x}, a part of it", "为 {value:#x}（其一部分）")
WIDENED = Message("hold {value:#x}, {format} widened", "为 {value:#x}（由 {format} 扩展）")
BESIDE = Message("lie less than {room} beside {index:#x}", "与 {index:#x} 相差不到 {room}")
MULTIPLE = Message(
    "are {times} times {index:#x} and less than {times} more",
    "为 {index:#x} 的 {times} 倍并加上不到 {times} 的数",
)
