"""What records are made of: where clauses come from, and what is wrong with a record's files."""

from conformance.catalogue.message import Message

ORIGIN = Message("{kind}: {source}", "{kind}：{source}")
DOCUMENT = Message("document", "文档")
MEASURED = Message("measured", "实测")
SOURCE_READ = Message("source-read", "源码")
INFERRED = Message("inferred", "推断")

BATCH = Message(
    "{model}: {tokens:,} {tokens:token|tokens} of {columns:,} {columns:column|columns}, {routing}"
    " over {experts} experts",
    "{model}：{tokens:,} 个 token，每个 {columns:,} 列，{experts} 个专家，路由{routing}",
)
BALANCED = Message("balanced", "均衡")
SKEWED = Message("skewed", "偏斜")
ONE_HOT = Message("one hot", "集中于一个专家")
NO_TOML = Message("no TOML: {error}", "不是 TOML：{error}")
RULE_OF_FILE = Message("{rule} ({page})", "{rule}（{page}）")
NO_WORKLOAD = Message(
    "no such workload, and no file FILE{ending}; {names}",
    "没有这样的工作负载，也不是文件 FILE{ending}；{names}",
)
NO_FIELD = Message(
    "line {line}, {name}: no such field; {names}", "第 {line} 行，{name}：没有此字段；{names}"
)
BAD_FIELD = Message(
    "line {line}, {name} = {value}: {rule}", "第 {line} 行，{name} = {value}：{rule}"
)
MISSING_FIELD = Message("{name} is missing; needed: {names}", "缺少 {name}；必须有：{names}")
TOP_K = Message(
    "top_k is {top_k}: must be at most experts, {experts}",
    "top_k 为 {top_k}：不得超过 experts，即 {experts}",
)
RANKS = Message(
    "ranks is {ranks}: must divide experts, {experts}",
    "ranks 为 {ranks}：必须整除 experts，即 {experts}",
)
NO_TOKENS = Message(
    "decode, prefill or chunked must list numbers of tokens",
    "decode、prefill 或 chunked 必须列出 token 数",
)

NO_BINDING = Message("its record declares no binding", "其记录未声明绑定")
NO_NAME = Message("its name {name} is none", "其名称 {name} 不合规")
OF_ANOTHER = Message("{name} is a case of {operator}", "{name} 是 {operator} 的用例")
NO_LINK = Message("its link {link} is none", "其链接 {link} 不合规")
TOO_MANY_LINKS = Message("it has too many links", "其链接过多")
