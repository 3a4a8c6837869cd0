"""The gate's answer: what rejects a run, what it lets pass, and what it says in the end."""

from conformance.catalogue.message import Message

# Kinds of findings.
DEVICE = Message("device", "设备")
STALE_KERNEL = Message("stale kernel", "Kernel 未更新")
NOT_JUDGED = Message("not judged", "未判定")
FAILURE = Message("failure", "失败")
ERROR = Message("error", "错误")
WRONG_WAIVER = Message("wrong waiver", "无效豁免")
EXPIRED_WAIVER = Message("expired waiver", "豁免过期")
UNMATCHED_WAIVER = Message("unmatched waiver", "豁免未命中")
BROAD_WAIVER = Message("over-broad waiver", "豁免过宽")
NEWLY_FAILING = Message("newly failing", "新增失败")
ORDER_DRIFT = Message("order drift", "顺序变化")
TILING_KEY = Message("tiling key", "Tiling 键")
BIT_EXACT_SHARE = Message("bit-exact share", "逐位一致率")
MORE_WORK = Message("more work", "工作量增加")
SLOWER = Message("slower", "变慢")
MISSING_CASE = Message("missing case", "缺失用例")
MISSING_CELL = Message("missing cell", "缺失单元")

# The answer, line by line.
FINDING = Message(
    "  {kind:{width}}  {subject}: {message}", "  {kind:{width}}  {subject}：{message}"
)
SEE = Message("see {file}", "见 {file}")
MORE_FINDINGS = Message(
    "  {kind:{width}}  and {count} more (--json has all)",
    "  {kind:{width}}  另有 {count} 条（--json 列出全部）",
)
CANNOT_JUDGE = Message("cannot judge: {what}", "无法判定：{what}")
WAIVED = Message("waived: {what}", "已豁免：{what}")
UNCONFIRMED = Message("unconfirmed: {what}", "未经文档确认：{what}")
NOTE = Message("note: {what}", "说明：{what}")
SHOWN = Message("shown: {what}", "参考：{what}")
MORE = Message("{count} more (--json has all)", "另有 {count} 条（--json 列出全部）")

NOTHING_SAID = Message(
    "gate: cannot judge {run}; nothing is accepted, nothing rejected",
    "门禁：无法判定 {run}；既不通过也不拒绝",
)
VERDICT = Message(
    "gate: {verdict}: {cases:,} cases on {device}, {beside}",
    "门禁：{verdict}；{cases:,} 个用例，设备：{device}，{beside}",
)
VERDICT_FOR = Message(
    "gate: {verdict} for {kinds}: {cases:,} cases on {device}, {beside}",
    "门禁：{verdict}，原因：{kinds}；{cases:,} 个用例，设备：{device}，{beside}",
)
ACCEPTED = Message("accepted", "通过")
REJECTED = Message("rejected", "拒绝")
BESIDE_BASELINE = Message("beside baseline {name}", "对照基线 {name}")
WITHOUT_BASELINE = Message("without a baseline", "无基线")
COUNTED = Message("{kind} ({number})", "{kind}（{number}）")
DIAGNOSES = Message("{findings} diagnoses of {items} items", "{findings} 种诊断，{items} 个测试项")

# What a run was asked for, and did not do.
SIMULATED = Message(
    "the evidence is a simulation ({device}); {kind} is required",
    "证据来自模拟（{device}），而要求 {kind}",
)
JUDGED_ON = Message(
    "the evidence is judged on {seen} ({device}); {kind} is required",
    "证据在 {seen} 上产生（{device}），而要求 {kind}",
)
ASKED_FOR = Message("it was asked for: {why}", "要求判定它，但{why}")
NOT_RUN = Message("declared, and not run", "已声明但未运行")
IMPOSSIBLE = Message(
    "none of its {count} calls was possible on this device", "其 {count} 个调用在本设备上均无法执行"
)
UNSEEN = Message("no judged case shows {what}", "没有已判定的用例体现：{what}")
NOT_REACHED = Message(
    "{combinations} combinations of levels and {edges} edges not reached",
    "{combinations} 个取值组合与 {edges} 处边界未到达",
)
CUT_OFF = Message("{cell} ended at a failed case: {what}", "{cell} 止于未通过的用例：{what}")
CUT_OFF_WAIVED = Message(
    "{cell} ended at a failed case ({waivers}): {what}",
    "{cell} 止于未通过的用例（{waivers}）：{what}",
)
NOT_POSSIBLE = Message(
    "not possible on this device, not judged: {what}", "在本设备上无法执行，未判定：{what}"
)
CARRIED_OUT = Message(
    "{operator}: {count} {count:call|calls} that must raise an exception {count:is|are} carried"
    " out, which --lenient lets pass",
    "{operator}：{count} 个应抛出异常的调用被执行，因 --lenient 而未判失败",
)
NOT_IN_THE_RUN = Message("is not in the run; it judged: {names}", "不在该运行中；它判定了：{names}")
OF_NO_PROFILE = Message("the device's profile: {error}", "设备的描述：{error}")
NO_TEXT_OF_PROVENANCE = Message(
    "{name} of the provenance is {value}, which is no text",
    "来源信息的 {name} 为 {value}，不是文本",
)

# What failed.
UNCOVERED = Message(
    " (no waiver covers every failed case of it)", "（没有豁免项涵盖其全部未通过的用例）"
)
MORE_ITEMS = Message(
    " {count:,} more {count:item|items} of the same diagnosis: {items}",
    "同一诊断另有 {count:,} 个测试项：{items}",
)
REFUSED = Message("failed", "未通过")
NO_VERDICT = Message("ended without a verdict: {what}", "未得出判定即结束：{what}")
NO_TEXT = Message("no text", "无文本")
UNDOCUMENTED = Message(
    "{clause} (no document states it; in {items})", "{clause}（没有文档说明；见于 {items}）"
)
SHAPE = Message("{name} {shape}", "{name} {shape}")
SCALAR = Message("scalar", "标量")

# What differs from the baseline.
NO_VERDICT_NOW = Message(
    "the baseline has a verdict on it, this run has none", "基线中有其判定，本次运行没有"
)
NO_CELL_NOW = Message(
    "the baseline has this cell, this run does not declare it", "基线中有此单元，本次运行未声明"
)
WAS_ACCEPTED = Message("was accepted in the baseline", "在基线中为通过")
NO_ORDER_NOW = Message(
    "was added in order {before}; this run recovered no order",
    "原累加顺序 {before}，本次运行未能还原顺序",
)
OTHER_ORDER = Message(
    "was added in order {before}, now in order {now}", "原累加顺序 {before}，现为 {now}"
)
ANOTHER_OF_A_NAME = Message("another {order}", "另一 {order}")
OFF_THE_ORDER = Message(
    "its sum is legal, but off the order that the contract declares",
    "其和合法，但不符合契约声明的顺序",
)
OTHER_TILING_KEY = Message(
    "tiling key {before} -> {now}: another branch runs", "Tiling 键 {before} -> {now}：走了另一分支"
)
UNKNOWN = Message("unknown", "未知")
FEWER_EXACT = Message(
    "{now:,} of {now_all:,} elements of its named calls are bit-exact, were {was:,} of"
    " {was_all:,}{where}",
    "其具名调用的 {now_all:,} 个元素中 {now:,} 个逐位一致，原为 {was_all:,} 个中 {was:,} 个{where}",
)
FEWER_IN = Message(" (fewer in {names})", "（{names} 中减少）")
NONE_EXACT = Message(
    "no element of its named calls is judged any more, were {was:,}",
    "其具名调用已没有元素被判定，原为 {was:,} 个",
)
NO_LIBRARIES = Message(
    "a change is claimed, but the run does not say which libraries it judged",
    "声称有改动，但运行没有说明判定了哪些库",
)
OLD_LIBRARIES = Message(
    "a change is claimed, but {files} is that of the baseline: the old kernel was judged",
    "声称有改动，但 {files}与基线相同：判定的是旧 Kernel",
)
LIBRARY = Message("{file} (sha256 {sha256})", "{file}（sha256 {sha256}）")
TIME = Message(
    "time on the device of {calls} named calls: {now:,.6g} s{baseline}",
    "{calls} 个具名调用的设备耗时：{now:,.6g} s{baseline}",
)
WORKSPACE = Message(
    "workspace of {calls} named calls: {now:,.6g} B{baseline}",
    "{calls} 个具名调用的 workspace：{now:,.6g} B{baseline}",
)
BASELINE_TIME = Message(" (baseline {was:,.6g} s)", "（基线 {was:,.6g} s）")
BASELINE_WORKSPACE = Message(" (baseline {was:,.6g} B)", "（基线 {was:,.6g} B）")
OTHER_SHARE = Message(
    "{cell}: bit-exact share {now:.3%}, of other draws (baseline {was:.3%})",
    "{cell}：逐位一致率 {now:.3%}，抽样不同（基线 {was:.3%}）",
)
NOT_COMPARED = Message(
    "not compared, as their inputs are others than the baseline's: {names}",
    "未对照，因其输入与基线不同：{names}",
)
NEW_CALLS = Message(
    "{count} named calls are not in the baseline yet", "{count} 个具名调用尚未纳入基线"
)
