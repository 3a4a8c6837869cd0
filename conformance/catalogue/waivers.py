"""Waivers: what they let pass, what is wrong with them, and with their predicates."""

from conformance.catalogue.message import Message

WAIVER = Message(
    "waiver {number} ({operator} where {where})", "豁免项 {number}（{operator}，条件：{where}）"
)
NUMBER = Message("waiver {number}", "豁免项 {number}")
EXCUSES = Message(
    "{waiver} excuses {items}: {reason} ({owner}, until {expires}, {link})",
    "{waiver}豁免 {items}：{reason}（{owner}，至 {expires}，{link}）",
)
EXCUSES_NOTHING_NOW = Message(
    "{waiver} excuses nothing in this run (intermittent): {reason} ({owner}, until {expires},"
    " {link})",
    "{waiver}在本次运行中未豁免任何失败（偶发）：{reason}（{owner}，至 {expires}，{link}）",
)
NOT_EVALUATED = Message(
    "not evaluated: {count:,} {count:waiver|waivers} of other devices or cells",
    "未评估：{count:,} 条豁免属于其他设备或单元",
)

# What rejects a run.
EXPIRED = Message(
    "expired on {expires}; ask {owner}: {link}", "已于 {expires} 过期，请联系 {owner}：{link}"
)
UNMATCHED = Message(
    "excuses nothing: it covers no failure and {count:,} accepted {count:case|cases}; remove it",
    "未豁免任何失败：它没有涵盖失败的用例，涵盖的通过用例有 {count:,} 个；请删除",
)
TOO_BROAD = Message(
    "covers {accepted:,} accepted {accepted:case|cases} beside {refused:,} failed"
    " {refused:one|ones}, such as {example}: say more exactly when it fails, or mark it"
    " intermittent",
    "除 {refused:,} 个未通过的用例外，还涵盖 {accepted:,} 个通过的用例，如 {example}："
    "请更准确地说明何时失败，或标为 intermittent",
)
COVERS_ALL = Message(
    "covers every case of its operator: say when it fails", "涵盖该算子的全部用例：请说明何时失败"
)

# What is wrong with the file.
FIELD = Message("{name} in {path}", "{path} 的 {name}")
NOT_AS_DOCUMENTED = Message(
    "is not as docs/how-to/gate.md says: {error}", "不符合 docs/how-to/gate.md 所述：{error}"
)
RULE = Message(
    "waiver {number}: {what} (docs/how-to/gate.md)",
    "豁免项 {number}：{what}（docs/how-to/gate.md）",
)
MUST_SAY_SOMETHING = Message("must say something", "不能为空")
MUST_BE_LINK = Message("must be a link, https://...", "必须是链接，https://...")

# What is wrong with a predicate.
AT_COLUMN = Message("{word} at column {column}: {what}", "第 {column} 列的 {word}：{what}")
LONGEST = Message("a predicate has at most {most} characters", "条件至多 {most} 个字符")
UNREADABLE = Message("cannot be read: {error}", "无法解析：{error}")
NO_CONDITION = Message("says nothing: compare it with a value", "没有表达条件：请与某个值比较")
UNKNOWN_NAME = Message(
    "{word} at column {column} is no name of these cases; known: {names}",
    "第 {column} 列的 {word} 不是这些用例的名称；已知：{names}",
)
TOO_DEEP = Message("is nested deeper than {most}", "嵌套超过 {most} 层")
ALLOWED_COMPARISONS = Message(
    "allowed comparisons: == != < <= > >= in, not in", "允许的比较：== != < <= > >= in、not in"
)
ALLOWED_VALUES = Message("allowed values: numbers and texts", "允许的值：数与文本")
TOO_LARGE = Message("is larger than any size", "大于任何尺寸")
NOT_OF_THE_LANGUAGE = Message(
    "is not of the language; allowed: comparisons, and, or, not, + - * %",
    "不属于该语言；允许：比较、and、or、not、+ - * %",
)
INCOMPARABLE = Message(
    "{other} cannot be compared with {one} in this way", "{other} 与 {one} 不能这样比较"
)
NO_NUMBER = Message("{value} is no number to reckon with", "{value} 不是可计算的数")
NO_ATTRIBUTE = Message(
    "a tensor has {names}; a level is level.AXIS", "张量有 {names}；水平写作 level.AXIS"
)
NO_NAME = Message("is no name", "不是名称")
