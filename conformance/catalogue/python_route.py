"""Route python: which function is judged, why it cannot be, and what it answered."""

from conformance.catalogue.message import Message

# How one is named.
HOW_WRITTEN = Message(
    "allowed: FILE.py:FUNCTION or MODULE:FUNCTION, with OPERATOR= before it if several operators"
    " are judged",
    "允许：FILE.py:FUNCTION 或 MODULE:FUNCTION；判定多个算子时，前面写 OPERATOR=",
)
OF_WHICH_OPERATOR = Message(
    "name one operator, or write OPERATOR=FILE.py:FUNCTION",
    "请指明一个算子，或写作 OPERATOR=FILE.py:FUNCTION",
)
NAMED_TWICE = Message("{operator} has a function already", "{operator} 已有对应函数")
NOT_NAMED = Message(
    "{operator} has no function; there is one for {named}",
    "{operator} 没有对应函数；有函数的是 {named}",
)
NO_FILE = Message("there is no file {file}", "没有文件 {file}")
PLACE = Message(
    "allowed with --implementation: auto, cpu, cuda:N, npu:N, sim[:SOC]",
    "与 --implementation 同用时允许：auto、cpu、cuda:N、npu:N、sim[:SOC]",
)
LIBRARIES = Message(
    "goes with --implementation on --device sim alone", "与 --implementation 同用须有 --device sim"
)
NUMPY_PLACE = Message("arrays of numpy live on the host: cpu", "numpy 数组位于主机：cpu")
NEEDS_FUNCTION = Message("needs --implementation", "需要 --implementation")

IN_NO_MODULE = Message(
    "must stand in a module by its name: it is imported anew",
    "须以其名称位于模块中：它会被重新导入",
)

# Why one cannot be called.
NO_TORCH = Message(
    "torch cannot be imported ({error}); --tensors numpy does without it",
    "torch 无法导入（{error}）；--tensors numpy 不需要它",
)
NO_PLACE = Message("tensors cannot live on {place}: {error}", "张量无法位于 {place}：{error}")
NOT_SIMULATED = Message(
    "--implementation on --device sim: {error}", "--implementation 用于 --device sim：{error}"
)
HAS_NPU = Message(
    "this host has {node}, and nothing is simulated for a Python function beside an NPU: --device"
    " npu calls it there",
    "本机有 {node}，不在有 NPU 的主机上为 Python 函数模拟设备：--device npu 在该 NPU 上调用",
)
NOT_IMPORTED = Message("{module} cannot be imported: {error}", "{module} 无法导入：{error}")
NO_SUCH_NAME = Message("{module} has no {name}", "{module} 中没有 {name}")
NOT_A_FUNCTION = Message(
    "{function} is of type {type}, which cannot be called", "{function} 的类型为 {type}，无法调用"
)
OTHER_ARGUMENTS = Message(
    "{function}: {error}. It is called as {of}({names})",
    "{function}：{error}。它以 {of}({names}) 的形式被调用",
)

OTHER_FUNCTIONS = Message(
    "{one} and {other} have not the same FUNCTIONS: judge them in two runs",
    "{one} 与 {other} 的 FUNCTIONS 不同：请分两次运行判定",
)
NO_FUNCTIONS = Message(
    "FUNCTIONS beside {of} must be a dict with names among {names}",
    "{of} 旁的 FUNCTIONS 应为 dict，其名称限于 {names}",
)
NOT_DECLARED = Message(
    "FUNCTIONS['{name}'] must be a callable, None if it is not used, or a dict of {keys}: an"
    " integer of at least 0, True or False, and a text; the first and the last are needed",
    "FUNCTIONS['{name}'] 应为可调用对象、None（未使用），或含 {keys} 的 dict：非负整数、True 或"
    " False、文本；首末两项必需",
)

# What one answered.
RAISED_AT = Message("{said} ({file}, line {line})", "{said}（{file}，第 {line} 行）")
OF_TYPE = Message("of type {type}", "{type} 类型")
OTHER_COUNT = Message(
    "{function} returned {count} {count:tensor|tensors}; it must return {outputs}",
    "{function} 返回了 {count} 个张量；应返回 {outputs}",
)
OTHER_KEYS = Message(
    "{function} returned a dict with {keys}; its outputs are {outputs}",
    "{function} 返回的 dict 含有 {keys}；其输出为 {outputs}",
)
NOT_LOOKED_AT = Message("one that is not looked at", "一个不予检查的值")
SHARES_MEMORY = Message(
    "{output} shares the memory of input {input}: it must be a tensor of its own",
    "{output} 与输入 {input} 共用内存：应为独立的张量",
)
SETTING_CHANGED = Message(
    "{name}() is {now} after the call, and was {before}: it must be as it was",
    "调用后 {name}() 为 {now}，此前为 {before}：应保持不变",
)
NOT_READ = Message(
    "the elements of {output} cannot be read: {error}", "无法读取 {output} 的元素：{error}"
)
ELSEWHERE = Message(
    "{output} is on {where}: it must be where the inputs are",
    "{output} 位于 {where}：应与输入位于同一处",
)
EARLIER_CHANGED = Message(
    "{output} of the call before is changed by this call: it must be a tensor of its own",
    "上一次调用的 {output} 被本次调用修改：应为独立的张量",
)
PRINTED = Message(
    "{function} printed {count} bytes in one call, and may print in others: {first}",
    "{function} 在一次调用中输出了 {count} 字节，其他调用中也可能输出：{first}",
)

# What it is called.
OF_PYTHON = Message("Python {version}", "Python {version}")
OF_TORCH = Message("{python}, torch {torch} on {place}", "{python}，torch {torch}，位于 {place}")
ON_SIMULATED = Message(
    "npu:0 of torch_npu {version} over the simulated {soc}",
    "模拟的 {soc} 上 torch_npu {version} 的 npu:0",
)
OF_NUMPY = Message("{python}, numpy {numpy}", "{python}，numpy {numpy}")
NOT_ASKED = Message(
    "Not judged of a Python function: status codes, what lies around outputs, and host tilings.",
    "Python 函数不判定：状态码、输出周围的内存、host tiling。",
)
CARRIED_OUT = Message(
    "{operator}: {count:,} of the {calls:,} calls that must raise an exception are carried out"
    " (--lenient): {names}{more}",
    "{operator}：{calls:,} 个应抛出异常的调用中有 {count:,} 个被执行（--lenient）：{names}{more}",
)
AND_MORE = Message(" and {count:,} more", "等，另有 {count:,} 个")
