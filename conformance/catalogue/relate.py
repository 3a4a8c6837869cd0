"""What is said of calls of which a relation must hold."""

from conformance.catalogue.message import Message

HOLDS = Message("{relation} holds.", "关系 {relation} 成立。")
SILENT = Message("{relation} says nothing of it.", "关系 {relation} 未涉及该用例。")
BROKEN = Message("{relation} does not hold: {what}", "关系 {relation} 不成立：{what}")
DEFINEDNESS = Message("definedness does not hold: {what}", "结果取决于内存中的旧值：{what}")
DETERMINISM = Message("determinism does not hold: {what}", "同一调用的结果不一致：{what}")
LAYOUT = Message("layout does not hold: {what}", "结果取决于张量在内存中的位置：{what}")
OF_A_FURTHER_CALL = Message("of a further call, {call}, {what}", "另一次调用 {call}：{what}")
