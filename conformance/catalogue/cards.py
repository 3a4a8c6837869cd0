"""The cards of a host: who has one, which were lost, and what a status says of one."""

from conformance.catalogue.message import Message

CARD = Message("npu:{number}", "npu:{number}")
CARD_OF_NUMBER = Message("npu:{number} (card {physical})", "npu:{number}（卡 {physical}）")
PROCESS = Message("process {pid}", "进程 {pid}")
ON_HOST = Message(" on {host}", "（{host}）")
OF_USER = Message(" of {user}", "（用户 {user}）")
ANOTHER_PROCESS = Message("another process", "另一进程")
CLAIMED = Message("{card} is claimed by {holder}", "{card} 被{holder}占用")
LOCKED_OUT = Message(
    "{card} is locked out since {since}: {reason}; once it is well: rm {file}",
    "{card} 自 {since} 起停用：{reason}；恢复正常后：rm {file}",
)
NONE_FREE = Message(
    "no card is free: {cards}. One process judges on a card at a time: wait, name another (--device"
    " npu:N), or start fewer processes (-n)",
    "没有空闲的卡：{cards}。每张卡同时只供一个进程判定：请等待、指定其他卡（--device npu:N）"
    "或减少进程数（-n）",
)
NOT_THERE = Message("device {number} does not exist: {seen}", "设备 {number} 不存在：{seen}")
SEEN = Message(
    "of the {count} in {folder} this process sees {seen}",
    "{folder} 中的 {count} 张卡，本进程可见 {seen} 张",
)
SEEN_WITH = Message(
    "of the {count} in {folder} this process sees {seen} ({variable})",
    "{folder} 中的 {count} 张卡，本进程可见 {seen} 张（{variable}）",
)
LOCKS_UNUSABLE = Message(
    "the folder of the cards' locks, {folder}, cannot be used: {why}; {variable}=DIR names another",
    "卡锁目录 {folder} 无法使用：{why}；可用 {variable}=DIR 指定其他目录",
)
NO_FOLDER = Message("no folder to be written", "不是可写的目录")

# What is lost.
LOST = Message("{card} is lost: {reason}", "{card} 已丢失：{reason}")
IS_LOCKED_OUT = Message("{what}; it is locked out", "{what}；已停用")
MADE_AGAIN = Message(
    "{card}: {reason}; the call was made once more", "{card}：{reason}；已重新执行该调用"
)
WITH_REASON = Message("{what} ({reason})", "{what}（{reason}）")
TWO_LOST = Message(
    "{operator}: one call lost two cards: {lost}", "{operator}：一次调用丢失了两张卡：{lost}"
)
NONE_LEFT = Message("no card is left: {lost}", "没有剩余的卡：{lost}")
OTHER_SOC = Message(
    "{card} is an {soc}, the run judges an {judged}", "{card} 是 {soc}，而本次运行判定 {judged}"
)

# What CANN calls its statuses.
STATUS = Message("{status}, {words}", "{status}，{words}")
AI_CORE_TIMED_OUT = Message("AI core timed out", "AI Core 超时")
AI_CORE_EXCEPTION = Message("AI core exception", "AI Core 异常")
AI_CORE_TRAP = Message("AI core trap", "AI Core 陷入")
AI_CPU_TIMED_OUT = Message("AI CPU timed out", "AI CPU 超时")
AI_CPU_EXCEPTION = Message("AI CPU exception", "AI CPU 异常")
VECTOR_CORE_TIMED_OUT = Message("vector core timed out", "矢量核超时")
VECTOR_CORE_EXCEPTION = Message("vector core exception", "矢量核异常")
VECTOR_CORE_TRAP = Message("vector core trap", "矢量核陷入")
AI_CORE_READ = Message("AI core trap: read out of range", "AI Core 陷入：读越界")
AI_CORE_WRITE = Message("AI core trap: write out of range", "AI Core 陷入：写越界")
VECTOR_CORE_READ = Message("vector core trap: read out of range", "矢量核陷入：读越界")
VECTOR_CORE_WRITE = Message("vector core trap: write out of range", "矢量核陷入：写越界")
STREAM_TIMED_OUT = Message("the stream did not end in time", "流未按时结束")
TASK_TIMED_OUT = Message("task timed out", "任务超时")
TASK_EXCEPTION = Message("task exception", "任务异常")
TASK_TRAP = Message("task trap", "任务陷入")
HEARTBEAT_LOST = Message("the task scheduler's heartbeat is lost", "任务调度器心跳丢失")
NOT_SET_UP = Message("the device cannot be set up", "设备无法初始化")
MEMORY_ERROR = Message("device memory error", "设备内存错误")
ECC_ERROR = Message("uncorrectable ECC error of device memory", "设备内存不可纠正的 ECC 错误")
DRIVER_ERROR = Message("internal error of the driver", "驱动内部错误")
CONNECTION_LOST = Message("the connection between host and device is lost", "主机与设备的连接丢失")
