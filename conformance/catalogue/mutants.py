"""What is said of automatic mutants."""

from conformance.catalogue.message import Message

ANOTHER_ANSWER = Message(
    "another answer to call {number}: {case}", "对第 {number} 个调用的回答不同：{case}"
)
