"""Words about shards: which is this machine's, and by what times items are shared out."""

from conformance.catalogue.message import Message

NO_TIMES = Message(
    "has no times of items; allowed: the folder of an earlier run, or its junit.xml",
    "没有各项的用时；允许：此前运行的文件夹或其 junit.xml",
)
UNREADABLE = Message("cannot be read: {why}", "无法读取：{why}")
ALLOWED = Message(
    "allowed: I/N with I from 1 to N, such as 2/4; auto; or auto/N if a system tells no number",
    "允许：I/N，I 为 1 至 N，如 2/4；auto；若系统不告知份数则为 auto/N",
)
NO_SYSTEM = Message(
    "no variable of a CI system or cluster says which shard this is; looked for: {names}",
    "没有 CI 系统或集群的变量说明这是哪个分片；已查找：{names}",
)
NO_COUNT = Message(
    "{name} says which shard this is and nothing says of how many; write auto/N",
    "{name} 说明了是哪个分片，但没有说明份数；请写 auto/N",
)
NO_NUMBER = Message("{name} is {value}, which is no {what}", "{name} 为 {value}，不是{what}")
PLACE = Message("place of one of {count} shards", " {count} 个分片之一的序号")
COUNT = Message("number of shards", "分片数")
OTHER_COUNT = Message(
    "{name} says {told} shards, not {count}", "{name} 说明为 {told} 个分片，而非 {count}"
)
