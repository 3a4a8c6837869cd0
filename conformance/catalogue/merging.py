"""Shards that do not make one run, and what cannot be merged."""

from conformance.catalogue.message import Message

NAME_ALL = Message("name the folders of all shards", "请给出全部分片的文件夹")
ONE_OF_THE_RUNS = Message("is one of the runs that are merged", "是被合并的运行之一")
NOT_ENDED = Message(
    "its run has not ended, or was ended before its end", "其运行尚未结束，或中途终止"
)
NOT_THE_CASE = Message(
    "the case of a failure is {path}; it must be failures/ID/case.json in the run's folder",
    "某失败的用例为 {path}；它必须是运行文件夹中的 failures/ID/case.json",
)
IS_LINK = Message("{name} is a link", "{name} 是链接")
NO_PLAIN_FILE = Message("{name} is no plain file", "{name} 不是普通文件")
LARGER_THAN_A_GIB = Message("{name} is larger than 1 GiB", "{name} 大于 1 GiB")

NOT_OF = Message("does not belong to {first}: {what}", "与 {first} 不属于同一运行：{what}")
ANOTHER = Message("another {name} ({now}, not {before})", "{name} 不同（{now}，而非 {before}）")
ANOTHER_COMMIT = Message("another commit ({now}, not {before})", "提交不同（{now}，而非 {before}）")
OTHER_JUDGES = Message("judged with other {name}", "判定所用的 {name} 不同")
ANOTHER_PROFILE = Message(
    "another profile: {name} is {now}, not {before}", "设备不同：{name} 为 {now}，而非 {before}"
)
OF_ANOTHER_RUN = Message(
    "is shard {shard}, and {first} is shard {whole}: not of one run",
    "是分片 {shard}，而 {first} 是分片 {whole}：不属于同一运行",
)
TWICE = Message(
    "overlaps: shard {shard} is also in {folder}", "重复：分片 {shard} 也在 {folder} 中"
)
MISSING = Message("missing shard: {shards}", "缺少分片：{shards}")
MISSING_OF_SEED = Message(
    "missing shard of seed {seed}: {shards}", "缺少种子 {seed} 的分片：{shards}"
)
ALLOWED_WAITS = Message("allowed: whole seconds, such as 600", "允许：整数秒，如 600")
WAITING = Message("waiting for shards", "等待分片")
TO_GO_ON = Message("  to go on with it: {command}", "  续跑它：{command}")
TO_JUDGE_IT = Message("  to judge it: {command}", "  判定它：{command}")
JUDGED_TWICE = Message(
    "overlaps: {item} was judged in {folder} too", "重复：{item} 在 {folder} 中也已判定"
)
NO_SHARD = Message(
    "{folder} does not say which shard it is: nothing was judged there",
    "{folder} 没有说明是哪个分片：其中未判定任何用例",
)
