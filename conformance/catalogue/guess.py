"""Guesses at what made elements wrong, each with its evidence."""

from conformance.catalogue.message import Message

GUESS = Message("guess: {words}", "推测：{words}")
EXPLAINS_ALL = Message(
    "guess: {words} (explains all {wrong} wrong elements looked at)",
    "推测：{words}（可解释抽查的全部 {wrong} 个错误元素）",
)
EXPLAINS_ALL_AND_RIGHT = Message(
    "guess: {words} (explains all {wrong} wrong elements looked at and leaves {right} right ones"
    " right)",
    "推测：{words}（可解释抽查的全部 {wrong} 个错误元素，{right} 个正确元素亦不受影响）",
)
ALL_WRONG_ROWS = Message(
    "guess: {words} (all {count} wrong rows)", "推测：{words}（符合全部 {count} 个错误行）"
)
ALL_WRONG_ELEMENTS = Message(
    "guess: {words} (all {count} wrong elements)", "推测：{words}（符合全部 {count} 个错误元素）"
)

UNTOUCHED = Message(
    "never written: the device found {unwritten} untouched, and the wrong elements that were looked"
    " at, {wrong}, hold the bits {bits}",
    "未写入：设备侧检测到 {unwritten} 个元素未被写过，抽查的 {wrong} 个错误元素的位模式均为 {bits}",
)
AS_BEFORE = Message(
    "never written: the wrong elements hold what was there before the call",
    "未写入：错误元素仍为调用前的内容",
)
NAN_OF_FINITE_TERMS = Message(
    "memory that nobody wrote was read or left, or something that must not be read was added: all"
    " {wrong} wrong elements looked at are NaN though their terms are finite",
    "读取或留下了未写过的内存，或累加了不应读取的内容：抽查的 {wrong} 个错误元素均为 NaN，"
    "而各项均为有限值",
)
NAN_OF_WEIGHTED_TERMS = Message(
    "infinity or NaN times a coefficient of 0, memory that nobody wrote, or something that must not"
    " be read was added: all {wrong} wrong elements looked at are NaN, and their terms finite",
    "累加了无穷或 NaN 与系数 0 的乘积、未写过的内存，或不应读取的内容："
    "抽查的 {wrong} 个错误元素均为 NaN，而各项均为有限值",
)

DECODED = Message("decoded: {words}", "解码：{words}")
READS_ANOTHER_ROW = Message(
    "{output}, row {row}, slot {slot} holds row {seen} of {source} for row {right}{moved}"
    " ({count} of {count} wrong coded elements agree)",
    "{output} 第 {row} 行的槽 {slot} 为 {source} 的第 {seen} 行，而非第 {right} 行{moved}"
    "（{count} 个带地址编码的错误元素中 {count} 个相符）",
)
READS_ITS_ROW = Message(
    "{output}, row {row}, slot {slot} holds the right row, {right}, of {source}{moved}"
    " ({count} of {count} wrong coded elements agree)",
    "{output} 第 {row} 行的槽 {slot} 为 {source} 的正确行（第 {right} 行）{moved}"
    "（{count} 个带地址编码的错误元素中 {count} 个相符）",
)
COLUMNS_AFTER = Message(
    ", {count} {count:column|columns} after the right one", "，列错位至正确列后第 {count} 列"
)
COLUMNS_BEFORE = Message(
    ", {count} {count:column|columns} before the right one", "，列错位至正确列前第 {count} 列"
)
ALL_ROWS_AWAY = Message(
    "all {count} rows looked at read {rows:+d} rows, {columns:+d} columns from the right place",
    "抽查的 {count} 行所读位置均偏离正确位置 {rows:+d} 行、{columns:+d} 列",
)
