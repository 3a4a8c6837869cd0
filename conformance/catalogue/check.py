"""What ``check`` says of a record: what was looked at, what is wrong, and where it is weak."""

from conformance.catalogue.message import Message

EXAMPLES = Message("{count} {count:example|examples}", "{count} 个示例")
DRAWS = Message("{count} drawn {count:case|cases}", "随机用例 {count} 个")
REJECTED = Message("{count} rejected {count:call|calls}", "应拒绝的调用 {count} 个")

RIGHT = Message("{operator}: right; {parts}", "{operator}：正确；{parts}")
WRONG = Message(
    "{operator}: {wrong} {wrong:problem|problems}; {parts}", "{operator}：{wrong} 个问题；{parts}"
)
PROBLEM = Message("problem: {name}: {problem}", "问题：{name}：{problem}")
WEAK = Message("weak: {text}", "薄弱：{text}")
NO_KERNEL = Message("no folder kernels/{operator} beside it", "旁边没有文件夹 kernels/{operator}")

AN_EXAMPLE = Message("example {name}", "示例 {name}")
A_REJECTION = Message("rejected call {name}", "应拒绝的调用 {name}")
A_DRAW = Message("{mode}, {dtype}, {stream}", "{mode}、{dtype}、{stream}")
FAILED_TO_DRAW = Message("its strategy fails: {error}", "其生成策略出错：{error}")

ONE_CORE = Message(
    "no drawn case runs on several cores: draw machines (conformance.draw.machines)",
    "没有用例在多个核上运行：请生成机器（conformance.draw.machines）",
)
ONE_TILE = Message(
    "no drawn case has a row that is longer than its buffer: a second tile of a row may never run",
    "没有用例的行超过其缓冲区：行的第二个 tile 可能从未执行",
)
FEW_ROWS = Message(
    "no drawn case has more rows of an output than cores: a second turn of a core's loop may never"
    " run",
    "没有用例的输出行数多于核数：核内循环的第二轮可能从未执行",
)
ALWAYS_THERE = Message(
    "no drawn case leaves out {name}, which is optional", "没有用例省略可选的 {name}"
)
NEVER_THERE = Message("no drawn case has {name}, which is optional", "没有用例带有可选的 {name}")
ONE_DTYPE = Message("no drawn case has {name} of type {dtype}", "没有用例的 {name} 为 {dtype}")
ONE_VALUE = Message("{name} is {value} in every drawn case", "所有用例的 {name} 都是 {value}")
SORTED = Message(
    "the indices {name} rise in every drawn case: a kernel that ignores them is not seen",
    "所有用例的索引 {name} 都是升序：忽略它们的 kernel 无法发现",
)
NO_EXAMPLE = Message("mode {mode} has no example", "模式 {mode} 没有示例")
NO_REJECTIONS = Message("no rejected call is on record", "没有登记应拒绝的调用")
NO_RELATIONS = Message("no relation is on record", "没有登记关系")
NO_CELLS = Message(
    "no cells are on record: coverage by levels is not measured", "没有登记取值单元：不测量取值覆盖"
)
AT_LEAST_ONE = Message("allowed: 1 or more", "允许：不小于 1")
