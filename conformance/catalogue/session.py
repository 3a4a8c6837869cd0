"""What a run of pytest says that judges: of its items, its options, and the run that it goes on
with."""

from conformance.catalogue.message import Message

NOTHING_JUDGED = Message("nothing was judged: {reason}", "未判定任何用例：{reason}")
NO_ITEM = Message(
    "no item of it was selected (-k, -m, --deselect)", "未选中其任何测试项（-k、-m、--deselect）"
)
ENDED_EARLY = Message(
    "pytest ended before it had summed the run up", "pytest 在汇总本次运行之前已结束"
)
REPORTS_NOT_WRITTEN = Message(
    "the reports of the run cannot be written: {error}", "运行的报告无法写入：{error}"
)
EVIDENCE_NOT_WRITTEN = Message(
    "the evidence, {out}, cannot be written: {error}", "证据 {out} 无法写入：{error}"
)
RUN_ENDED = Message("the run ended before this item did", "运行在此测试项结束之前已结束")
BUDGET_SPENT = Message(
    "the budget was spent before this item began", "此测试项开始之前时间预算已用完"
)
EVIDENCE = Message("evidence: {path}", "证据：{path}")

NOT_OF_THE_RECORD = Message(
    "the record of {operator} draws a case of operator {other}: a record's cases must name its own"
    " operator (Case.operator)",
    "{operator} 的记录抽取了算子 {other} 的用例：记录的用例必须属于其自身的算子 (Case.operator)",
)
JUDGED_NOTHING = Message(
    "the template judged nothing: it must call conformance.session.template's judge,"
    " judge_rejection, judge_example or record",
    "模板未作任何判定：它必须调用 conformance.session.template 的 judge、judge_rejection、"
    "judge_example 或 record",
)
NEEDS_THE_PLUGIN = Message(
    "a conformance template needs pytest's option -p conformance.plugin",
    "conformance 模板需要 pytest 的选项 -p conformance.plugin",
)
NO_PHASES = Message(
    "a device that a plugin made has no two phases to call",
    "插件创建的设备没有可调用的两段式接口",
)
NO_FORMATS = Message("a device that a plugin made has no formats", "插件创建的设备没有格式")
UNCHECKED = Message(
    "not called on an NPU, where nothing checks the rule", "不在 NPU 上调用：该处不检查此规则"
)
NOR_WITHOUT_IT = Message(
    "says nothing: the same call without the mistake is not accepted either",
    "无从判定：去掉该错误的同一调用也未通过",
)
AFTER_A_REFUSED_CALL = Message(
    "not called after a call of {operator} that fails by itself",
    "未执行：此前 {operator} 的一次调用单独执行也未通过",
)
FROZEN_CASE = Message("{kind} {name}: {error}", "{kind} {name}：{error}")
CORPUS = Message("corpus", "语料库用例")
REGRESSION = Message("regression", "回归用例")
FROZEN_OTHERWISE = Message(
    "{kind} {name} of {operator} has digest {digest}, frozen was {frozen}: its recipes make other"
    " values here (numpy {version}), or the file was changed",
    "{operator} 的{kind} {name} 摘要为 {digest}，冻结时为 {frozen}：其配方在此生成的值不同"
    "（numpy {version}），或文件已被改动",
)

NO_SUCH_AXIS = Message("no such axis", "不存在的轴")
LIMIT = Message("{limit}: {value}, the kernels {other}", "{limit}：{value}，Kernel 为 {other}")
LIMIT_CALL = Message(
    "{limit}: {value}, a call on {ub_bytes} B {outcome}",
    "{limit}：{value}，UB 为 {ub_bytes} 字节的调用{outcome}",
)
NOT_WHERE = Message(
    "boundaries of {operator}: {count} of {compared} sizes are not where the record draws its"
    " cases",
    "{operator} 的边界：{compared} 处中有 {count} 处与记录不符",
)
NOT_COMPARED = Message(
    "boundaries of {operator}: cannot be compared", "{operator} 的边界：无法比较"
)

DEVICES = Message(
    "allowed: auto, sim, sim:SOC, sim@CANN, npu, npu:N, npu:N,M",
    "允许：auto、sim、sim:SOC、sim@CANN、npu、npu:N、npu:N,M",
)
SEEDS = Message("allowed: integers from 0 to {most}", "允许：0 至 {most} 的整数")
FOLDERS = Message("allowed: a folder that exists", "允许：已存在的文件夹")
TIMES = Message("allowed: seconds above 0", "允许：大于 0 的秒数")

NO_RUN = Message("holds no run to go on with", "其中没有可续跑的运行")
ANEW = Message("{reason}; begin anew without --resume", "{reason}；请去掉 --resume 重新开始")
ASKED_OTHERWISE = Message(
    "its run was asked with {name} {before}, this one with {now}; ask the same, or begin anew"
    " without --resume",
    "其运行的 {name} 为 {before}，本次为 {now}；请使用相同的选项，或去掉 --resume 重新开始",
)
OTHER_JUDGE = Message("its run was judged with other {name}", "其运行判定时的 {name} 不同")
OTHER_DEVICE = Message(
    "its run judged another device ({names} changed)", "其运行判定的是另一设备（{names} 已改变）"
)

MARK_OPERATOR = Message("operator(name): items of this operator", "operator(name)：该算子的测试项")
MARK_MODE = Message(
    "mode(name): items that call this mode of an operator", "mode(name)：调用算子该模式的测试项"
)
MARK_DTYPE = Message(
    "dtype(name): items that call an operator in this data type",
    "dtype(name)：以该数据类型调用算子的测试项",
)
