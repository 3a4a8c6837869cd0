"""What a verdict says of a call: how it ended, and what it did besides its outputs."""

from conformance.catalogue.message import Message

CONTRACT = Message("contract: {text} [{origin}]", "契约：{text} [{origin}]")

IN_PHASE = Message(" in {phase}", "在 {phase} 中")
WITH_STATUS = Message(" with status {status}", "，状态码 {status}")
REJECTED = Message("the call was rejected{where}{told}", "调用{where}被拒绝{told}")
FAILED = Message("the call failed{where}{told}", "调用{where}失败{told}")
CRASHED = Message(
    "the call crashed after {seconds:.2f} s{where} (status {status})",
    "调用{where}于 {seconds:.2f} 秒后崩溃（状态码 {status}）",
)
TIMED_OUT = Message(
    "the call timed out after {seconds:.2f} s{where}", "调用{where}超时（{seconds:.2f} 秒）"
)
OUT_OF_MEMORY = Message("the call ran out of memory{where}", "调用{where}耗尽内存")
NOT_POSSIBLE = Message("not possible here, not judged", "此处无法执行，未判定")
COMPLETED = Message("the call completed", "调用完成")
BECAUSE = Message("{what}: {reason}", "{what}：{reason}")
SENTENCE = Message("{what}.", "{what}。")
DIAGNOSTIC_AT = Message("{code} at {place}", "{code}，位于 {place}")

MORE_DIAGNOSTICS = Message("and {count} more {count:diagnostic|diagnostics}", "另有 {count} 条诊断")
GUARD_ZONE = Message(
    "guard zone of {buffer}: {count} bytes changed, from {start}",
    "{buffer} 的保护区：自{start}起有 {count} 个字节被修改",
)
OFFSET = Message("offset {offset}", "偏移 {offset} ")
BEFORE_ITS_START = Message("{count} bytes before its start", "起始处前 {count} 字节")
INPUT_CHANGED = Message("input {name} holds other bytes than before", "输入 {name} 的内容被修改")

DIAGNOSTIC = Message(
    "{severity} {code}: {message}{place}{often}", "{severity} {code}：{message}{place}{often}"
)
ERROR = Message("error", "错误")
WARNING = Message("warning", "警告")
NOTE = Message("note", "提示")
PLACE = Message(" ({parts})", "（{parts}）")
KERNEL = Message("kernel {name}", "Kernel {name}")
BLOCK = Message("block {number}", "核 {number}")
PIPE = Message("pipe {name}", "流水 {name}")
TIMES = Message(", {count} times", "，{count} 次")
AFTER = Message("after: {operation}{place}", "在此之前：{operation}{place}")
ADVICE = Message("advice: {advice}", "建议：{advice}")

NO_OUTPUT = Message("the device returned no output {name}", "设备未返回输出 {name}")
SHAPE_MISFIT = Message(
    "output {name} came back as {seen}, must be {declared}",
    "输出 {name} 返回为 {seen}，应为 {declared}",
)
COMPLETED_WITH_STATUS = Message(
    "the call completed with status {status}", "调用完成，但状态码为 {status}"
)
MACHINE_REPORTS = Message(
    "the machine reports {count} {count:error|errors}, first {code}",
    "模拟器报告 {count} 个错误，首个为 {code}",
)
VALUES_RIGHT_BUT = Message("the values are right, but {what}", "数值正确，但{what}")
OUTSIDE_WRITTEN = Message(
    "{count} bytes outside {buffer} were written", "{buffer} 之外有 {count} 个字节被写入"
)
INPUTS_CHANGED = Message("inputs were changed: {names}", "输入被修改：{names}")

OF_CALL = Message("{call}: {what}", "{call}：{what}")
OF_OUTPUTS = Message("accepted; {outputs}", "通过；{outputs}")
ALL_BIT_EXACT = Message(
    "{output}: {elements} elements, all bit-exact ({step}{room})",
    "{output}：{elements} 个元素，全部逐位一致（{step}{room}）",
)
BIT_EXACT = Message(
    "{output}: {elements} elements, {exact} bit-exact ({step}{room})",
    "{output}：{elements} 个元素，{exact} 个逐位一致（{step}{room}）",
)
NONE_BOUNDED = Message(
    "{count} {count:element|elements} not bounded by what is known of the device",
    "{count} 个元素在已知的设备特性下无界",
)
UNBOUNDED = Message(
    ", {count} not bounded by what is known of the device",
    "，另有 {count} 个在已知的设备特性下无界",
)
HEADROOM = Message(", headroom {room:.2f}", "，误差余量 {room:.2f}")
OPEN = Message("{output}: {step}", "{output}：{step}")

NOT_WRITTEN = Message(
    "{count} of {size} elements of {output} {count:was|were} never written",
    "{output} 的 {size} 个元素中有 {count} 个未写入",
)
LEFT_OUT = Message(
    "{count} of {size} elements of {output} never written",
    "{output} 的 {size} 个元素中有 {count} 个未写入",
)
WRONG = Message(
    "{count} of {size} elements of {output} {count:is|are} wrong",
    "{output} 的 {size} 个元素中有 {count} 个错误",
)
OFF_THE_ORDER = Message(
    "{count} of {size} elements of {output} {count:was|were} not added in the promised order,"
    " though another order gives it",
    "{output} 的 {size} 个元素中有 {count} 个未按承诺的顺序累加（其他顺序可得到该值）",
)
NOT_AS_DOCUMENTED = Message(
    "{count} of {size} elements of {output} are not what the document gives",
    "{output} 的 {size} 个元素中有 {count} 个与文档给出的值不符",
)
DUE = Message("{place} is {seen}, due is {due}", "{place} 为 {seen}，应为 {due}")
AS_ITS_SOURCE_GIVES = Message(
    "The documented call gives the values that its source gives.",
    "文档中的调用得到其来源所给出的值。",
)
WRITING_UNKNOWN = Message(
    "the device did not say how much of {output} was written", "设备未报告 {output} 的写入情况"
)
NO_SUCH_OUTPUT = Message(
    "the device returned {output}, which is no output", "设备返回了并非输出的 {output}"
)

DECLARED_ORDER = Message("declared order", "按声明的顺序")
CERTIFICATE = Message("certificate", "已证明与顺序无关")
EVERY_ORDER = Message("every order", "已穷举全部顺序")
INTERVAL = Message("interval", "区间判定")
ORDER_DRIFT = Message("order-drift", "顺序偏离")
EVERY_BYTE = Message("every byte", "逐字节比较")
EXACT_INTEGERS = Message("exact integers", "整数逐个比较")
BOUNDS = Message("derived bounds", "推导的界")
NOT_BOUNDED = Message("not bounded", "无界，未判定")
SELECTION = Message("selection", "选择判定")
UNSPECIFIED = Message("unspecified", "契约未作规定")
SHAPE_AND_DTYPE = Message("shape and dtype", "形状与数据类型")

PATTERN = Message("pattern: {where}", "分布：{where}")
DRIFTED = Message("order drift: {where}", "顺序偏离：{where}")
ALSO_DRIFTED = Message(
    "order drift: {count} more element{count:|s}, which another order than the declared one gives",
    "顺序偏离：另有 {count} 个元素未按声明的顺序累加（其他顺序可得到该值）",
)

CARRIED_OUT = Message("the call was carried out", "调用被执行")
MUST_BE_REFUSED = Message(
    "{ended}, it must be rejected with status {status}", "{ended}，应被拒绝，状态码应为 {status}"
)
LENIENT = Message(
    "with --lenient such calls are counted, and fail nothing",
    "使用 --lenient 时此类调用只计数，不判失败",
)
MUST_RAISE = Message("{ended}, it must raise an exception", "{ended}，应抛出异常")
OTHER_STATUS = Message(
    "rejected with status {seen}{reason}, must be {status}",
    "被拒绝的状态码为 {seen}{reason}，应为 {status}",
)
REASON = Message(' ("{reason}")', "（“{reason}”）")
OUTPUTS_WRITTEN = Message(
    "the outputs of a rejected call were written to", "被拒绝的调用写入了其输出"
)
RIGHTLY_REFUSED = Message(
    "rejected with status {status}, as it must be", "按要求被拒绝，状态码 {status}"
)
RIGHTLY_RAISED = Message("rejected, as it must be", "按要求被拒绝")

AS_THE_CONTRACT_SAYS = Message("carried out as the contract says", "执行结果与契约一致")
OTHERWISE = Message("otherwise: {headline}", "与契约不同：{headline}")
UNDEFINED = Message(
    "carried out, of which the reference says nothing: {why}; outputs of sha256 {digest}",
    "已执行，参考实现未作规定：{why}；输出的 sha256 为 {digest}",
)
DEVICE_NOTES = Message("; the device notes: {note}", "；设备提示：{note}")
IN_DOUBT = Message("{what} [in doubt: {clause}]", "{what} [存疑：{clause}]")
