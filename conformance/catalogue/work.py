"""The work of a call as the simulated device counts it, and what the gate says of it."""

from conformance.catalogue.message import Message

MTE2_BYTES = Message("bytes that MTE2 moves", "MTE2 搬运的字节数")
MTE3_BYTES = Message("bytes that MTE3 moves", "MTE3 搬运的字节数")
SCALAR_BYTES = Message(
    "bytes of global memory that the scalar unit accesses", "标量单元访问的全局内存字节数"
)
VECTOR_BYTES = Message("bytes of vector operands", "矢量操作数的字节数")
MOST_MTE2_BYTES = Message(
    "bytes that MTE2 moves in the block with most", "MTE2 在工作量最大的核上搬运的字节数"
)
MOST_MTE3_BYTES = Message(
    "bytes that MTE3 moves in the block with most", "MTE3 在工作量最大的核上搬运的字节数"
)
MOST_SCALAR_BYTES = Message(
    "bytes of global memory that the scalar unit accesses in the block with most",
    "标量单元在工作量最大的核上访问的全局内存字节数",
)
MOST_VECTOR_BYTES = Message(
    "bytes of vector operands in the block with most", "工作量最大的核上矢量操作数的字节数"
)
MTE2_INSTRUCTIONS = Message("instructions of MTE2", "MTE2 指令数")
MTE3_INSTRUCTIONS = Message("instructions of MTE3", "MTE3 指令数")
VECTOR_INSTRUCTIONS = Message("vector instructions", "矢量指令数")
SCALAR_ACCESSES = Message("scalar accesses", "标量访问次数")
BARRIERS = Message("barriers", "屏障数")
WAITS = Message("waits for flags", "等待标志的次数")
MEETINGS = Message("calls of SyncAll", "SyncAll 调用次数")
CHAIN = Message("longest chain, in instructions", "最长依赖链（指令数）")
CHAIN_BYTES = Message("longest chain, in bytes", "最长依赖链（字节数）")

CHANGE = Message(" ({growth:+.1%})", "（{growth:+.1%}）")
MORE_WORK = Message(
    "{what}: {was:,} -> {now:,}{change} in {name}; more in {calls} of {all} calls",
    "{what}：{name} 由 {was:,} 增至 {now:,}{change}；{all} 次调用中有 {calls} 次增加",
)
LESS_WORK = Message(
    "{operator} does less work: {what}: {was:,} -> {now:,}{change} in {name}; less in {calls} of"
    " {all} calls",
    "{operator} 工作量减少：{what}：{name} 由 {was:,} 降至 {now:,}{change}；{all} 次调用中有"
    " {calls} 次减少",
)
NO_WORK_BEFORE = Message(
    "the baseline has no counts of work: they are compared once a run is accepted anew",
    "基线没有工作量计数：重新接受一次运行后才会比较",
)
ON_ANOTHER_MACHINE = Message(
    "the work of {count} {count:call|calls} is not compared: the simulated machine is another one"
    " ({name})",
    "{count} 次调用的工作量未比较：模拟机器不同（{name}）",
)
