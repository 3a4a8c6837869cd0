"""A run on a cluster of Ray: why it cannot begin, and which workers it lost."""

from conformance.catalogue.message import Message

# Why it cannot begin.
NOT_INSTALLED = Message(
    "--ray needs Ray: pip install 'moe-conformance[ray]'",
    "--ray 需要 Ray：pip install 'moe-conformance[ray]'",
)
ADDRESSES = Message(
    "allowed: HOST:PORT of a cluster, auto, or nothing (this host); operators stand before --ray",
    "允许：集群的 HOST:PORT、auto 或不写（本机）；算子名须写在 --ray 之前",
)
NO_CLUSTER = Message(
    "there is no Ray cluster to join at {address}: {error}",
    "{address} 处没有可加入的 Ray 集群：{error}",
)
THIS_HOST = Message("this host", "本机")
NO_NPU = Message(
    "no node of the Ray cluster has the resource NPU", "Ray 集群中没有节点具有 NPU 资源"
)
ONE_CARD_EACH = Message(
    "Ray gives each worker its card: with --ray name npu alone",
    "Ray 为每个进程分配卡：与 --ray 同用时只写 npu",
)
AT_LEAST_ONE = Message(
    "allowed with --ray: integers from 1 to {most}", "与 --ray 同用时允许：1 至 {most} 的整数"
)
CLUSTER = Message(
    "Ray: {nodes} {nodes:node|nodes} with {cpus} CPUs and {npus} NPUs",
    "Ray：{nodes} 个节点，共 {cpus} 个 CPU、{npus} 个 NPU",
)

# What becomes of workers.
NODE_DIFFERS = Message(
    "refused, its {names} differ from those of this host", "被拒绝：其 {names} 与本机不同"
)
DEVICE_DIFFERS = Message(
    "refused, its device is another one ({names} differ)", "被拒绝：其设备不同（{names} 不同）"
)
NO_SESSION = Message("its pytest session did not begin: {text}", "其 pytest 会话未能开始：{text}")
SESSION_ENDED = Message(
    "its pytest session ended with status {status}: {text}",
    "其 pytest 会话以状态码 {status} 结束：{text}",
)
NO_WORKER = Message(
    "no worker of the Ray cluster is left: {reasons}", "Ray 集群中没有可用的进程：{reasons}"
)
NO_NODE = Message("no node has what a worker needs", "没有节点满足进程所需的资源")
LOST_WORKER = Message(
    "worker {worker} on {node}: {reason}{again}", "{node} 上的进程 {worker}：{reason}{again}"
)
RUN_ELSEWHERE = Message(
    "; {count} {count:item is|items are} judged elsewhere", "；{count} 项改由其他进程判定"
)
CRASHED = Message(
    "worker '{worker}' crashed while running '{item}'", "进程 '{worker}' 在运行 '{item}' 时崩溃"
)
NO_BUNDLE = Message(
    "a worker sent a file that belongs to no failure: {path}",
    "某进程发来不属于任何失败项的文件：{path}",
)
NOT_KEPT = Message("{path} cannot be written: {error}", "无法写入 {path}：{error}")
