"""How a call ended, in a word or two."""

from conformance.catalogue.message import Message

COMPLETED = Message("completed", "完成")
REJECTED = Message("rejected", "被拒绝")
FAILED = Message("failed", "失败")
CRASHED = Message("crashed", "崩溃")
TIMED_OUT = Message("timed out", "超时")
OUT_OF_MEMORY = Message("out of memory", "耗尽内存")
NOT_POSSIBLE = Message("not possible here", "此处无法执行")
