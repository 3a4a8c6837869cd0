"""What the front door says of a run: before it, while it goes on, and how it ended."""

from conformance.catalogue.message import Message

ERROR = Message("error: {error}", "错误：{error}")
NOTHING_JUDGED = Message("nothing was judged: {error}", "未判定任何用例：{error}")
INTERRUPTED = Message("interrupted", "已中断")

DEVICE = Message("device: {device}", "设备：{device}")
DEVICE_AND_CARD = Message("device: {device}, {card}", "设备：{device}，{card}")
RUN = Message(
    "run: {whom}; route {route}, profile {profile}, seed {seed}{workloads}",
    "运行：{whom}；调用路径 {route}，档位 {profile}，种子 {seed}{workloads}",
)
OPERATORS = Message("{count} operators", "{count} 个算子")
WORKLOAD = Message(", workload {name}", "，工作负载 {name}")
CARDS_FREE = Message(
    "{cards} {cards:card is|cards are} free: {cards} {cards:process judges|processes judge}, not"
    " {workers}",
    "空闲卡 {cards} 张：由 {cards} 个进程判定，而非 {workers} 个",
)
RUN_BEGINS = Message(
    "nothing to go on with in {folder}: the run begins", "{folder} 中没有可续跑的内容：运行从头开始"
)

JUDGING = Message("judging", "判定中")
JUDGING_FAILED = Message("judging, {failed} failed", "判定中，{failed} 个未通过")
MAKING_TENSORS = Message("making the tensors", "正在生成张量")
RUNNING_CALL = Message("running the call", "正在调用")
PULSE = Message(
    "judging for {minutes} min: {judged:,} of about {expected:,} verdicts",
    "已判定 {minutes} 分钟：约 {expected:,} 个判定中的 {judged:,} 个",
)
PULSE_FAILED = Message(
    "judging for {minutes} min: {judged:,} of about {expected:,} verdicts, {failed:,} failed",
    "已判定 {minutes} 分钟：约 {expected:,} 个判定中的 {judged:,} 个，{failed:,} 个未通过",
)

INTERRUPTED_EARLY = Message("interrupted: nothing was judged yet", "已中断：尚未判定任何用例")
SUMMED_UP = Message("interrupted: what was judged is summed up", "已中断：正在汇总已判定的结果")
WATCHING = Message(
    "waiting for a save of one of {count:,} sources (Ctrl-C ends)",
    "等待 {count:,} 个源文件中任一个被保存（按 Ctrl-C 结束）",
)
SAVED = Message("saved: {files}", "已保存：{files}")
NO_ITEM = Message(
    "nothing was judged: no item is selected by: {arguments}",
    "未判定任何用例：以下参数未选中任何测试项：{arguments}",
)
PYTEST_ENDED = Message(
    "nothing was judged: pytest ended before its first item",
    "未判定任何用例：pytest 在第一个测试项之前已结束",
)
NOT_MEASURED = Message("kernel coverage was not measured: {error}", "未测得 Kernel 覆盖率：{error}")
NOT_ADDED = Message("not added to the history: {error}", "未写入历史库：{error}")
NO_REPORT = Message("the report was not written: {error}", "报告未写入：{error}")
REPORT = Message("report: {path}", "报告：{path}")

MORE_FAILED = Message("{count} more failed items: {folder}", "另有 {count} 个失败项：{folder}")
MORE_REGRESSIONS = Message("    and {count} more regressions", "    另有 {count} 个回归用例")
SAME_DIAGNOSIS = Message(
    "  of the same diagnosis: {count} {count:item|items}: {names}",
    "  同一诊断：另有 {count} 项：{names}",
)
SAME_ERROR = Message(
    "  of the same error: {count} {count:item|items}: {names}",
    "  同一错误：另有 {count} 项：{names}",
)
NO_VERDICT = Message("{item} ended without a verdict:", "{item} 未得出判定即结束：")
TRACEBACKS = Message("tracebacks: {path}", "回溯信息：{path}")
ENVIRONMENT = Message(
    "the device or its environment failed: {message}", "设备或环境故障：{message}"
)
CUT = Message(
    "cut short by the budget: {count} {count:item|items}: {names}",
    "因时间预算未做完：{count} 项：{names}",
)
NOT_REACHED = Message(
    "not reached: {count} {count:item|items}: {names}", "未执行：{count} 项：{names}"
)

RESULT = Message(
    "{result}: {cases:,} distinct cases{cells}{shard} in {seconds:.0f} s; evidence: {path}",
    "{result}：{cases:,} 个不同用例{cells}{shard}，用时 {seconds:.0f} 秒；证据：{path}",
)
OF_CELLS = Message(
    " in {selected} of {declared} declared cells",
    "（已声明的 {declared} 个单元中的 {selected} 个）",
)
OF_SEEDS = Message(", seeds {seeds}", "，种子 {seeds}")
OF_SHARD = Message(", shard {shard}", "，分片 {shard}")
ACCEPTED = Message("accepted", "通过")
ACCEPTED_IN_BUDGET = Message("accepted as far as the budget went", "在时间预算内通过")
FAILED = Message("failed", "未通过")
INCOMPLETE = Message("incomplete", "未完成")
NOTHING_TO_JUDGE = Message("nothing to judge", "无可判定的用例")
ENVIRONMENT_FAILED = Message("environment failed", "环境故障")
SUITE_FAILED = Message("a record or the suite failed", "算子记录或本套件出错")
NOTHING = Message("nothing judged", "未判定任何用例")
