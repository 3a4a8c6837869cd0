"""Frozen cases and regressions that are not as they were kept, or cannot be kept."""

from conformance.catalogue.message import Message

NOT_ON_RECORD = Message("is not on record", "没有算子记录")
TWICE = Message(
    "holds a case {name} of {operator} that another folder holds too",
    "含有 {operator} 的用例 {name}，而另一文件夹也含有它",
)
CHANGED = Message(
    "was changed since version {version} was frozen: it has another sha256",
    "在版本 {version} 冻结之后被改动：其 sha256 不同",
)
NOT_FROZEN = Message("is none that was frozen: {error}", "不是冻结的用例集：{error}")
OF_SCHEMA = Message(
    "has schema {schema}; this version reads {known}", "schema 为 {schema}，本版本只读 {known}"
)
NO_OPERATOR = Message(
    "names the operator {operator}, which is none", "其中的算子 {operator} 不是算子名"
)
TWO_OF_A_NAME = Message("has two cases of one name", "有两个同名用例")
AT_LINE = Message("{path}, line {line}", "{path} 第 {line} 行")

ANOTHER_NAME = Message(
    "its name is {name}, which must be that of its file", "其名称为 {name}，必须与文件名相同"
)
ALLOWED_NAMES = Message(
    "allowed: up to 120 letters, digits, spaces and _ . , + = ^ -, a letter or digit first",
    "允许：至多 120 个字母、数字、空格和 _ . , + = ^ -，以字母或数字开头",
)
ALLOWED_LINKS = Message(
    "allowed: the https address of a public page", "允许：公开网页的 https 地址"
)
ON_RECORD = Message(
    "is on record as a {kind}: every run makes it already",
    "已作为 {kind} 列入算子记录：每次运行都会执行它",
)
TOO_LARGE = Message(
    "has {size:,} bytes as a regression; allowed: up to {most:,}",
    "作为回归用例有 {size:,} 字节，至多允许 {most:,} 字节",
)
TAKEN = Message("is taken: {path} is there", "已被占用：已有 {path}")
