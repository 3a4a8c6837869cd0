"""How a call is told that was drawn: its tensors, its machine, and what it finds around it."""

from conformance.catalogue.message import Message

SCALAR = Message("scalar", "标量")
IN_FORMAT = Message(" in format {format}", " 格式 {format}")
HOLDING = Message(" holding rows {rows}", " 仅含行 {rows}")
PLACED = Message(" with {parts}", "（{parts}）")
STRIDES = Message("strides {strides}", "步长 {strides}")
BEFORE_THE_FIRST = Message("{count} elements before the first", "首元素前 {count} 个元素")
BEHIND_THE_LAST = Message("{count} behind the last", "末元素后 {count} 个元素")
UNREAD = Message(", NaN in unread rows {rows}", "，不应读取的行 {rows} 为 NaN")
FILL = Message("{families} (seed {seed})", "{families}（种子 {seed}）")
VALUES = Message(": {values}", "：{values}")

MACHINE = Message(
    "{cores} {cores:core|cores} with {ub_bytes} B of UB{order}",
    "{cores} 核，UB {ub_bytes} 字节{order}",
)
IN_ORDER = Message(", blocks in order {order}", "，核的执行次序 {order}")
BY_FUNCTIONS = Message(", functions {functions}", "，函数实现 {functions}")
BY_PIPES = Message(", pipes {pipes}", "，流水线调度 {pipes}")

POISONED = Message("memory poisoned", "内存填毒值")
ZEROED = Message("memory zeroed", "内存清零")
AS_LEFT = Message("memory as left", "内存沿用此前调用的遗留内容")
DETERMINISM = Message("determinism level {level}", "确定性级别 {level}")
OWN = Message("stream own", "自建流")
DEFAULT = Message("stream default", "默认流")
BESIDE = Message("stream beside another", "另一条流上同时有同一调用")

KEPT = Message("the protocol kept", "遵守协议")
SIZE_PLACE_NULL = Message("size place null", "存放 workspace 大小的指针为空")
EXECUTOR_PLACE_NULL = Message("executor place null", "存放执行器的指针为空")
EXECUTOR_NULL = Message("executor null", "执行器为空指针")
EXECUTOR_MADE_UP = Message("executor made up", "执行器为主机上一段全零内存的地址")
EXECUTOR_DESTROYED = Message("executor destroyed", "执行器已被销毁")
EXECUTOR_USED = Message("executor used", "执行器已被使用过")
WORKSPACE_NULL = Message("workspace null", "workspace 为空指针，大小照给")
WORKSPACE_ABSENT = Message("workspace absent", "workspace 为空指针，大小为 0")
WORKSPACE_SHORT = Message("workspace short", "workspace 少一个字节")
WORKSPACE_MISALIGNED = Message("workspace misaligned", "workspace 未对齐")
STREAM_ANOTHER = Message("stream another", "另一条流")
STREAM_DESTROYED = Message("stream destroyed", "已被销毁的流")

ON = Message("on {machine}", "机器：{machine}")
WITH = Message("with {setting}", "环境：{setting}")
CALLED_WITH = Message("called with {breach}", "违反协议的调用：{breach}")
AFTER_THESE = Message(
    "after these calls on the same new device:", "此前在同一新打开的设备上依次执行了以下调用："
)
