"""What is wrong with a selection."""

from conformance.catalogue.message import Message

FIRST_WRONG = Message(
    "first wrong selection: {place} is {seen}, by the formula {must}",
    "首个错误选择：{place} 为 {seen}，按公式应为 {must}",
)
SAME_AS_FORMULA = Message(
    "first wrong selection: {place} is {seen}", "首个错误选择：{place} 为 {seen}"
)
NO_EXPERT = Message(
    "{expert} is no position: the row has {count}", "{expert} 不是有效位置：该行共 {count} 个"
)
TWICE = Message(
    "position {expert} is selected twice, the second time in slot {slot}",
    "位置 {expert} 被选中两次，第二次在槽 {slot}",
)
OTHER_ORDER = Message(
    "slot {slot} holds {expert} with a key of {key}, and {other} with a key of {other_key} comes"
    " later: the larger key comes first",
    "槽 {slot} 为 {expert}，键为 {key}，键为 {other_key} 的 {other} 位于其后：键较大者应在前",
)
TIE = Message(
    "{expert} in slot {slot} has a key of {key}, {other} one of {other_key}: of equal keys the"
    " lower position comes first",
    "槽 {slot} 的 {expert} 键为 {key}，{other} 键为 {other_key}：键相等时位置较小者应在前",
)
LEFT_OUT = Message(
    "{other} is left out with a key of {other_key}, {expert} in slot {slot} has one of {key}",
    "{other} 未被选中，其键为 {other_key}；槽 {slot} 的 {expert} 的键为 {key}",
)
GROUP = Message(
    "{expert} in slot {slot} is of a group with a score of {key}; that of {other} with {other_key}"
    " is kept before it",
    "槽 {slot} 的 {expert} 所在组得分为 {key}；{other} 所在组得分为 {other_key}，应先于它保留",
)
PRESCRIBED = Message("the row must hold {must}", "该行应为 {must}")
KEY_BETWEEN = Message("{low} to {high}", "{low} 至 {high}")
