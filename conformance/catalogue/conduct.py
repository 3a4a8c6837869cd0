"""What a call did with the device that no call may do."""

from conformance.catalogue.message import Message

MEMORY_LEFT = Message(
    "each such call leaves {count} bytes of device memory allocated",
    "每次这样的调用都遗留 {count} 字节未释放的设备内存",
)
NO_LAUNCH = Message(
    "the call launched no kernel, and filled and copied nothing on the device, though {outputs}"
    " must be written",
    "该调用未启动 Kernel，也未在设备上填充或拷贝，而 {outputs} 必须写入",
)
WRITTEN_EARLY = Message("{phase} wrote to {outputs}", "{phase} 写入了 {outputs}")
TASK_LEFT = Message(
    "{count} {count:task waits|tasks wait} in a stream that is not the call's, and nothing orders"
    " that before what follows the call",
    "{count} 个任务留在非本次调用的流中，与调用之后的任务没有先后约束",
)
STATUS_DROPPED = Message(
    "{what} answered {status}, and the call 0: {reason}",
    "{what} 返回 {status}，而调用返回 0：{reason}",
)
