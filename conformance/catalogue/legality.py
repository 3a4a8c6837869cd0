"""What is no case: a parameter, its value, and what it must be."""

from conformance.catalogue.message import Message

ILLEGAL = Message(
    "{parameter} is {value}; it must be {rule}", "{parameter} 的值：{value}；应为：{rule}"
)
BEFORE = Message("before[{number}]: {what}", "before[{number}]：{what}")

A_LIST = Message("a list", "列表")
UNEQUAL = Message("unequal", "不相等")
VALUES = Message("{count} values", "{count} 个值")
VALUES_AND_FILL = Message("values and fill", "同时给出 values 与 fill")
CALLS = Message("{count} calls", "{count} 次调用")
CALL_WITH_OTHERS = Message("a call with {count} calls before it", "其前另有 {count} 次调用的调用")

ALL_ROWS = Message("none: an output has all its rows", "无：输出含其全部行")
NO_SHARED_PLACE_OF_OUTPUT = Message(
    "such that no two elements share a place: only an input may be broadcast",
    "使任意两个元素不共用位置的值：只有输入可以广播",
)
NO_SHARED_PLACE = Message(
    "such that no two elements share a place, unless a stride is 0",
    "使任意两个元素不共用位置的值，除非步长为 0",
)
AT_MOST_CALLS = Message("{most} calls or fewer", "不超过 {most} 次调用")
NONE_BEFORE = Message("calls with none before them", "其前没有其他调用的调用")
NO_BREACH = Message(
    "null: a call that breaks the protocol is rejected", "null：违反协议的调用会被拒绝"
)
ONE_FORMAT = Message(
    "{format}: a call in another format is rejected", "{format}：其他格式的调用会被拒绝"
)
ONE_OF = Message("one of {names}", "{names} 之一")
ROWS_OF_COLUMNS = Message("{rows} rows of {columns} columns", "{rows} 行 {columns} 列")
WITH_TOO = Message("with {row} too", "另含 {row} 的列表")
INTEGERS = Message("integers of 64 bits, or null", "64 位整数，或 null")
ONE_FLOAT = Message("one floating-point number", "一个浮点数")
ONE_INTEGER = Message("one integer", "一个整数")
RANGE = Message("{low} to {high}", "{low} 至 {high}")
SIZES = Message("sizes of 0 or more", "不小于 0 的各维大小")
COUNT = Message("0 or more elements", "不小于 0 的元素个数")
NO_OFFSET = Message("0: the tensor lists rows", "0：该张量列出了行")
AT_MOST_ELEMENTS = Message("at most {most} elements", "至多 {most} 个元素")
ONE_OR_NONE = Message("one of them, or none", "二者之一，或都不给出")
AS_MANY = Message("{count}, the shape's", "{count} 个，与形状一致")
NOT_BOOL = Message("any dtype but bool", "bool 以外的数据类型")
NO_MARK = Message("none: {dtype} has no NaN to mark a row", "无：{dtype} 没有可标记行的 NaN")
ROWS = Message("rows from 0 to {last}", "0 至 {last} 的行")
NO_UNREAD = Message("none: broadcast rows share their places", "无：广播的行共用位置")
SOME_ROWS = Message("some of its rows, {rows}", "其所含的行 {rows} 之中")
SIZES_ABOVE_0 = Message("sizes above 0, as it lists rows", "大于 0 的各维大小，因为它列出了行")
ASCENDING = Message("ascending", "升序")
NO_STRIDES = Message("none: the tensor lists rows", "无：该张量列出了行")
ONE_FOR_EACH_AXIS = Message("one for each axis of {shape}", "{shape} 的每个轴各一个")
EQUAL_ALONG = Message(
    "equal along axis {axis}, whose stride is 0", "沿轴 {axis} 相等，因为该轴步长为 0"
)
A_FAMILY = Message("at least one family", "至少一个分布族")
SEED = Message("0 to 2^64 - 1", "0 至 2^64 - 1")
ONE_OR_MORE = Message("1 or more", "1 或更大")
BLOCK_ORDER = Message(
    "forward, reverse or shuffled:SEED with a seed of up to 18 digits",
    "forward、reverse 或 shuffled:SEED（SEED 为至多 18 位的种子）",
)
PIPES = Message(
    "program, late or random:SEED with a seed of up to 18 digits",
    "program、late 或 random:SEED（SEED 为至多 18 位的种子）",
)
MULTIPLE = Message(
    "a multiple of {step} from {low} to {high}", "{low} 至 {high} 之间 {step} 的倍数"
)
