"""What the other commands say: baseline, corpus, devices, doctor and replay."""

from conformance.catalogue.message import Message

NAMED_CALLS_FAIL = Message(
    "{count} named calls fail in it; each needs a waiver still",
    "其中 {count} 个具名调用未通过，仍各需一条豁免",
)
NO_BASELINE = Message("no baseline in {folder}", "没有基线：{folder}")
BASELINE_LISTED = Message(
    "{name}: {key}; {who}, {day}: {why}", "{name}：{key}；{who}，{day}：{why}"
)
BASELINE = Message(
    "baseline {name}: {key}, profile {profile}", "基线 {name}：{key}，档位 {profile}"
)
ACCEPTED_BY = Message("  accepted by {who}, {when}: {why}", "  由 {who} 于 {when} 接受：{why}")
ACCEPTED_BY_AT = Message(
    "  accepted by {who}, {when} (commit {commit}): {why}",
    "  由 {who} 于 {when} 接受（提交 {commit}）：{why}",
)
BASELINE_COUNTS = Message(
    "  {cells} cells, {cases:,} cases; {calls} named calls, of which {failing} fail",
    "  {cells} 个单元，{cases:,} 个用例；{calls} 个具名调用，其中 {failing} 个未通过",
)
BASELINE_ORDER = Message(
    "  order of additions: {operator}: {order} ({rows} dtypes and lengths)",
    "  累加顺序：{operator}：{order}（{rows} 种数据类型与长度）",
)
MEASURED = Message("  measured: {clause}", "  实测确认：{clause}")

NO_CELLS = Message(
    "{operator}: declares no cells, nothing is frozen of it",
    "{operator}：未声明单元，不冻结其用例",
)
CASES = Message("{operator}: {count} cases", "{operator}：{count} 个用例")
VERSION_IN = Message(
    "version {version} in {folder}: {size:,} bytes", "版本 {version}，位于 {folder}：{size:,} 字节"
)
VERSION = Message("{folder}: version {version}", "{folder}：版本 {version}")
NO_VERSION = Message("{folder}: none", "{folder}：无")
FROZEN = Message(
    "{operator}: {cases} frozen cases, {regressions} regressions",
    "{operator}：{cases} 个冻结用例，{regressions} 个回归用例",
)

NOT_HERE = Message("{device}: not here: {error}", "{device}：此处没有：{error}")
HERE = Message("{device}: {words}", "{device}：{words}")

AS_WRITTEN = Message(
    "bundle: {count} files are as they were written {made}; seen on {device}, seed {seed} of"
    " profile {profile}",
    "复现包：{count} 个文件与 {made} 写入时一致；当时的设备：{device}；种子 {seed}，档位 {profile}",
)
UNKNOWN_DEVICE = Message("an unknown device", "未知设备")
BUNDLE = Message("bundle: {line}", "复现包：{line}")
ENDED_OTHERWISE = Message(
    "the call ended otherwise: {now} now, {then} then",
    "调用的结束方式不同：现为 {now}，当时为 {then}",
)
OTHER_BYTES = Message("other bytes than then in {outputs}", "以下输出的字节与当时不同：{outputs}")
SAME_BYTES = Message("the outputs are those of then, byte for byte", "输出与当时逐字节一致")
OTHER_PATTERNS = Message(
    "other patterns are accepted here than the bundle stores, in {outputs}",
    "以下输出的允许值与包中所存不同：{outputs}",
)
SAME_PATTERNS = Message("the accepted patterns are those that it stores", "允许值与包中所存一致")
PROMOTED = Message(
    "regression: {path} ({size:,} bytes); commit it", "回归用例：{path}（{size:,} 字节），请提交"
)
NO_PLUGIN = Message("a replay opens no plugin's device", "复现命令无法打开插件的设备")
RULING = Message("  {standard}: {ruling}", "  {standard}：{ruling}")
