"""Errors that no kernel made: of a record, a reference, a law, or the suite."""

from conformance.catalogue.message import Message

BROKEN = Message(
    "an error of a record or of the suite, not of a kernel: ",
    "算子记录或本套件的错误，与 Kernel 无关：",
)
NO_VERDICT = Message("no kernel was judged by it", "未据此判定任何 Kernel")
RAISED_AT = Message("raised at {place}, in {function}", "抛出位置：{place}，函数 {function}")

NOT_HELD = Message(
    "{operator}: {output} adds {row}, which the row-sparse case does not hold",
    "{operator}：{output} 累加 {row}，而该行稀疏用例不含此行",
)
DISAGREE_ON_CASE = Message(
    "the record of {operator} and its formula disagree on a case",
    "{operator} 的记录与其公式对某个用例不一致",
)
DISAGREE_ON_OUTPUT = Message(
    "the record of {operator} and its formula disagree on output {output}",
    "{operator} 的记录与其公式对输出 {output} 不一致",
)
IN_MODE = Message("in {mode}, {dtype}: {what}", "在 {mode}、{dtype} 中：{what}")
THE_RECORD = Message("the record: {file}", "记录：{file}")
NO_FILE = Message("not in a file", "不在文件中")
REJECTS_CASE = Message("its formula rejects it: {why}", "其公式拒绝该用例：{why}")
NO_SUCH_OUTPUT = Message("the formula has no such output", "公式没有该输出")
OFF_THE_CONTRACT = Message(
    "what the formula gives breaks the contract: {why}", "公式的结果违反契约：{why}"
)
OTHER_SHAPE = Message(
    "the case has {of_case}, the formula gives {found}", "用例为 {of_case}，公式给出 {found}"
)
OTHER_SUM = Message(
    "{operator}: {output}, row {row}, column {column}: the formula gives {formula}, the terms sum"
    " to {total}",
    "{operator}：{output} 第 {row} 行第 {column} 列：公式给出 {formula}，各项之和为 {total}",
)
OTHER_ORDER = Message(
    "{operator}: {output}, row {row}, column {column}: the declared order gives the bits {bits},"
    " which no order of the terms {terms} can give",
    "{operator}：{output} 第 {row} 行第 {column} 列：声明的顺序给出位模式 {bits}，"
    "而各项 {terms} 以任何顺序都得不到它",
)
