"""What ``new`` says: how parameters are told, what cannot be read, and what was written."""

from conformance.catalogue.message import Message

ASK = Message(
    "parameters of {operator} in the order of its interface, one a line, an empty line at the end;"
    " such as:",
    "按接口顺序逐行输入 {operator} 的参数，以空行结束；例如：",
)
NAME_RULE = Message(
    "a name in snake case, such as row_pair_sum, or the operator's own, such as RowPairSum",
    "下划线形式的名称，如 row_pair_sum，或算子自己的名称，如 RowPairSum",
)
FROM_RULE = Message(
    "a file with an aclnn header, a document's table of parameters, or lines such as"
    " `x input float16 float32`",
    "含有 aclnn 头文件、文档参数表，或形如 `x input float16 float32` 的行的文件",
)
KIND_RULE = Message("allowed: {kinds}", "允许：{kinds}")
DTYPES_RULE = Message("data types of {allowed}", "数据类型取自 {allowed}")
AXES_RULE = Message(
    "axes in brackets: names, numbers, or products such as token * slot",
    "方括号中的轴：名称、数字，或 token * slot 这样的乘积",
)
SIZE_RULE = Message(
    "a size of {output} that an input or an attribute has, too",
    "{output} 的大小须同时出现在某个输入或属性中",
)
TYPE_RULE = Message(
    "a tensor, int64_t, double, bool or aclIntArray: the suite passes no other",
    "张量、int64_t、double、bool 或 aclIntArray：套件不传递其他类型",
)
NO_TENSORS = Message("an input and an output, at least", "至少一个输入和一个输出")
TWICE = Message("each parameter has a name of its own", "每个参数的名称各不相同")
IS_THERE = Message("a folder without it: {path} exists", "尚无此算子的文件夹：{path} 已存在")
WROTE = Message("wrote {path}", "已写入 {path}")
GUESSED = Message(
    "the text does not say it: {names} taken for {role}",
    "文本未说明：{names} 视为 {role}",
)
NEXT = Message(
    "next: replace what is marked TODO, from the operator's document; then",
    "下一步：按算子文档替换标有 TODO 之处，然后",
)
