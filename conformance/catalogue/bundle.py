"""What is wrong with a failure's bundle, what it does not hold, and why it has no programs."""

from conformance.catalogue.message import Message

FOLDER = Message(
    "allowed: the folder of a failure, failures/ID of a run",
    "允许：一个失败项的文件夹，即运行的 failures/ID",
)
DO_NOT_AGREE = Message(
    "{manifest} was changed, or the first line of {sums}: they do not agree",
    "{manifest} 或 {sums} 的首行已被改动：二者不一致",
)
SUMS_CHANGED = Message(
    "{sums} was changed: it is not the list in {manifest}",
    "{sums} 已被改动：与 {manifest} 中的清单不同",
)
HASH_CHANGED = Message(
    "{path} was changed: it has not the sha256 that {manifest} tells",
    "{path} 已被改动：其 sha256 与 {manifest} 所记不同",
)
CHANGED = Message("{path} was changed: {error}", "{path} 已被改动：{error}")
LINK = Message("{path} is a link, which is not followed", "{path} 是链接，不予跟随")
UNREADABLE = Message("{path} cannot be read: {error}", "{path} 无法读取：{error}")
HAS_NO = Message("has no {path}", "没有 {path}")
OTHER_DIGEST = Message(
    "{case} has digest {digest}, {manifest} tells another",
    "{case} 的摘要为 {digest}，与 {manifest} 所记不同",
)
OTHER_VALUES = Message(
    "{path} and {case} hold different values of {name}", "{path} 与 {case} 中 {name} 的值不同"
)
OTHER_RECIPE = Message(
    "the recipe of {name} makes other values here than where the bundle was written (numpy"
    " {version}): the stored ones are judged",
    "{name} 的配方在此生成的值与写入复现包时不同（numpy {version}）：以存储的值判定",
)
NOT_AS_THE_CASE_SAYS = Message(
    "{path} is not what {case} says: {error}", "{path} 与 {case} 所述不符：{error}"
)
OTHER_ROWS = Message("it lists other rows", "所列的行不同")
OTHER_HEADER = Message("its header is not that of {array}", "文件头不是 {array} 的文件头")
OTHER_SIZE = Message(
    "it has {count} bytes, which is not the size of {array}", "有 {count} 字节，不是 {array} 的大小"
)

OTHER_KIND = Message(
    "{manifest} has kind {kind} and schema {schema}; this version reads {known_kind} and"
    " {known_schema}",
    "{manifest} 的 kind 为 {kind}、schema 为 {schema}；本版本读取 {known_kind} 与 {known_schema}",
)
NO_MANIFEST = Message(
    "{manifest} is none that a run wrote: {error}", "{manifest} 不是运行写出的：{error}"
)
NO_NAME = Message(
    "{manifest} names the file {path}: allowed are names of letters, digits and _ . + -, in the"
    " bundle's folder or one folder of it",
    "{manifest} 列有文件 {path}：文件名只允许字母、数字与 _ . + -，且位于复现包文件夹或其下一级"
    "文件夹中",
)
TWICE = Message(
    "{manifest} names a file twice, or more than {most}",
    "{manifest} 重复列出同一文件，或列出超过 {most} 个文件",
)
TOO_LARGE = Message(
    "{manifest} tells of {count:,} bytes; allowed: up to {most:,}",
    "{manifest} 记有 {count:,} 字节；最多允许 {most:,} 字节",
)

NOT_STORED = Message(
    "{path} is not stored ({count:,} bytes): {reason}", "{path} 未存储（{count:,} 字节）：{reason}"
)
ALL_ARRAYS = Message(
    "all arrays of a bundle have up to {most} MiB together", "复现包的全部数组合计最多 {most} MiB"
)
NOT_STORED_HERE = Message("{path} is not stored: {reason}", "{path} 未存储：{reason}")
OF_A_RELATION = Message(
    "a relation compares the results of several calls; replay makes them",
    "关系比较多次调用的结果；由 replay 执行这些调用",
)
OF_A_REFUSAL = Message(
    "the call must be rejected: its outputs must stay as they are",
    "该调用应被拒绝：其输出必须保持不变",
)
NOT_SAID = Message("the record does not say: {error}", "记录未作规定：{error}")
NO_FILE_NAME = Message("the output has no name for a file", "该输出的名称不能作为文件名")
NO_RECORD = Message("there is no record of {operator}", "没有 {operator} 的算子记录")
BREACH = Message(
    "it breaks the protocol that the programs keep; replay makes it",
    "它违反程序所遵守的协议；由 replay 执行",
)
OTHER_STREAM = Message(
    "the programs know no stream {stream}; replay makes it",
    "程序不支持流 {stream}；由 replay 执行",
)
DOES_NOT_FIT = Message("the call does not fit the record: {error}", "该调用与记录不符：{error}")
BEFORE_IT = Message("of call {number} before it: {reason}", "此前的第 {number} 次调用：{reason}")
CALLS_BEFORE = Message(
    "the calls before it are made by the Python program alone", "此前的调用仅由 Python 程序执行"
)
OTHER_MEMORY = Message(
    "memory {memory} is the Python program's alone", "内存状态 {memory} 仅由 Python 程序实现"
)
