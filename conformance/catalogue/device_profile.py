"""What is known of a device, in a few lines."""

from conformance.catalogue.message import Message

SOC = Message("SoC", "SoC")
VECTOR_CORES = Message("vector cores", "矢量核")
UNIFIED_BUFFER = Message("unified buffer", "统一缓冲区")
CANN = Message("CANN", "CANN")
CAST_MODE = Message("cast mode", "转换模式")
FLUSH_TO_ZERO = Message("flush to zero", "次正规数清零")
OVERFLOW_MODE = Message("overflow mode", "溢出模式")
DETERMINISM = Message("determinism", "确定性")
UNKNOWN = Message("unknown", "未知")
FUNCTION = Message("function {name}", "函数 {name}")
FUNCTION_PROBED = Message(
    "{name} in a kernel that calls it alone: {traits}",
    "单独调用 {name} 的 Kernel 所得：{traits}",
)
FUNCTION_KNOWN = Message("{name} {traits}", "{name} {traits}")
FUNCTIONS_KNOWN = Message("functions: {each}", "函数：{each}")
EACH_ELEMENT = Message(
    "out[i] is the function of x[i], or of x[i] and y[i].",
    "out[i] 为 x[i]（或 x[i] 与 y[i]）的函数值。",
)
NOT_PROBED = Message("not probed: {reason}", "未探测：{reason}")
UNKNOWN_FUNCTIONS = Message(
    "functions not probed: {names}: {reason}",
    "未探测的函数：{names}：{reason}",
)
TOO_FAR = Message(
    "its results are {steps:,} steps off; allowed: up to {most:,}",
    "其结果偏离 {steps:,} 个浮点步；允许：至多 {most:,} 步",
)
STEPS = Message("at most {steps} {steps:step|steps} off", "最多偏离 {steps} 个浮点步")
UNUSED = Message("not used", "未使用")
FLUSHES = Message("may flush", "可能清零次正规数")
UNIFORM = Message("uniform", "各处一致")
MONOTONE = Message("monotone", "单调")
FOR_A_TILING = Message("{bytes} B for a tiling", "Tiling 可用 {bytes} B")
PROBED = Message("{value} (probed)", "{value}（已探测）")
DECLARED = Message("{value} (declared, not probed)", "{value}（仅声明，未探测）")
LIBRARY = Message("{path}, sha256 {sha256}", "{path}，sha256 {sha256}")
