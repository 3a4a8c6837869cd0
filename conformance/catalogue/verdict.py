"""What a verdict says of a call: how it ended, and what it did besides its outputs."""

from conformance.catalogue.message import Message

CONTRACT = Message("contract: {text} [{origin}]", "契约：{text} [{origin}]")

ABOUT = Message("{about}: {what}", "{about}: {what}")

IN_PHASE = Message(" in {phase}", "在 {phase} 中")
REJECTED = Message(
    "the call was refused{where} with status {status}", "调用{where}被拒绝，状态码 {status}"
)
FAILED = Message("the call failed{where} with status {status}", "调用{where}失败，状态码 {status}")
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
