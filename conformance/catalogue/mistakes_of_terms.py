"""Mistakes of a sum: which terms it adds, and of which rows it reads them."""

from conformance.catalogue.message import Message

NOTHING = Message("nothing is added, the output is zero", "未累加任何项，输出为零")
SLOT_LEFT_OUT = Message("slot {slot} is left out", "漏加槽 {slot}")
SLOT_ALONE = Message(
    "slot {slot} is copied alone, the others are left out", "仅复制了槽 {slot}，其余漏加"
)
LAST_LEFT_OUT = Message("the last slot that adds a row is left out", "漏加最后一个有效槽")
FIRST_LEFT_OUT = Message("the first slot that adds a row is left out", "漏加第一个有效槽")
ALL_BUT_LAST = Message(
    "all but the last slot that adds a row are left out", "仅累加了最后一个有效槽"
)
ODD_LEFT_OUT = Message("every slot of an odd number is left out", "漏加编号为奇数的槽")
EVEN_LEFT_OUT = Message("every slot of an even number is left out", "漏加编号为偶数的槽")
FROM_LEFT_OUT = Message("slots from {slot} on are left out", "自槽 {slot} 起全部漏加")
BEFORE_LEFT_OUT = Message("slots before {slot} are left out", "槽 {slot} 之前全部漏加")
ROW_OF = Message("row {row} of {tensor}", "{tensor} 的第 {row} 行")
ROW_LEFT_OUT = Message("{row} is left out wherever it is named", "凡引用处均漏加：{row}")
SLOT_TWICE = Message("slot {slot} is added twice", "槽 {slot} 被加了两次")
DOUBLED = Message("the sum is doubled", "和被加倍")
TENSOR_LEFT_OUT = Message("what comes from {tensor} is left out", "漏加来自 {tensor} 的项")
TENSOR_TWICE = Message("what comes from {tensor} is added twice", "来自 {tensor} 的项被加了两次")
TENSOR_SUBTRACTED = Message("what comes from {tensor} is subtracted", "来自 {tensor} 的项被减去")
TENSOR_LEFT_OUT_ALONE = Message(
    "what comes from {tensor} is left out where the slot has no row of {first}",
    "槽没有 {first} 的行时漏加来自 {tensor} 的项",
)

PARTS_ANEW = Message(
    "slots from {slot} on begin anew: they read the rows of the first ones",
    "自槽 {slot} 起读取了最前各槽的行",
)
SUM_OF_NEXT_ROW = Message("every row holds the sum of the next one", "每行为下一行之和")
SUM_OF_ROW_BEFORE = Message("every row holds the sum of the one before", "每行为上一行之和")
ROWS_REVERSED = Message("the rows come in reverse", "行顺序颠倒")
SUM_ON_TOP = Message(
    "a row holds the sum of the one before, too, which is still there", "每行另含前一行残留的和"
)
SUM_LEFT = Message(
    "a row to which nothing is added still holds the sum of one before",
    "没有任何项的行仍留有前面某行之和",
)
SLOT_TOO_MANY = Message(
    "one slot too many is added, the first of the next row", "多加了一个槽：下一行的第一个槽"
)
INVERSE = Message(
    "the index is taken for its inverse (argsort for rank)",
    "索引被当作其逆排列（argsort 与 rank 互换）",
)
DROPPED_AS_FIRST = Message("a dropped slot is read as row 0", "被丢弃的槽读取了第 0 行")
DROPPED_AS_LAST = Message("a dropped slot is read as the last row", "被丢弃的槽读取了最后一行")
ROW_AFTER = Message("every slot reads the row after its own", "每个槽读取了其后一行")
ROW_BEFORE = Message("every slot reads the row before its own", "每个槽读取了其前一行")
NARROWED = Message(
    "the index is narrowed: it wraps after {bits} bits", "索引被截窄：在 {bits} 位处回绕"
)
NARROWED_WITH_SIGN = Message(
    "the index is narrowed to {bits} bits with a sign: it wraps, and what is negative then is left"
    " out",
    "索引被截窄为带符号的 {bits} 位：回绕后为负者被漏加",
)
SLOT_0 = Message("every slot reads the row of slot 0", "每个槽都读取了槽 0 的行")
NEXT_SLOT = Message("every slot reads the row of the next slot", "每个槽读取了下一个槽的行")
SLOT_BEFORE = Message("every slot reads the row of the slot before", "每个槽读取了前一个槽的行")
SLOTS_AND_ROWS = Message(
    "slots and rows of the index are exchanged: it reads rows of others",
    "索引的槽与行互换：读取了他处的行",
)
ROWS_AND_SLOTS = Message(
    "rows and slots of the index are exchanged: it reads rows of others",
    "索引的行与槽互换：读取了他处的行",
)
ROW_0 = Message("every row reads the rows of row 0", "每行都读取了第 0 行的源行")
LAST_ROW = Message("every row reads the rows of the last row", "每行都读取了最后一行的源行")
TENSOR_OF_ROW_0 = Message(
    "every row reads the rows of {tensor} of row 0", "每行都按第 0 行读取 {tensor} 的行"
)
TENSOR_OF_SLOT_0 = Message(
    "every slot reads the row of {tensor} of slot 0", "每个槽都按槽 0 读取 {tensor} 的行"
)
TENSOR_OF_SLOT_NUMBER = Message(
    "every slot reads the row of {tensor} of its own number",
    "每个槽都按自身编号读取 {tensor} 的行",
)
TENSOR_OF_ROW_NUMBER = Message(
    "every row reads the row of {tensor} of its own number", "每行都按自身编号读取 {tensor} 的行"
)
TENSOR_FOR_ANOTHER = Message(
    "rows of {other} are read in place of those of {tensor}",
    "应读 {tensor} 的行，却读取了 {other} 的行",
)
TENSOR_ANEW = Message(
    "what is read of {tensor} begins anew from slot {slot} on: rows of the first",
    "自槽 {slot} 起又从头读取 {tensor}",
)

WRONG_ROWS_ZERO = Message(
    "nothing is added in the wrong rows, {count} of them, which are zero",
    "共 {count} 个错误行未累加任何项，其值为零",
)
SO_DO_MORE = Message("; so do {count} more rows", "；另有 {count} 行亦然")
OF_ROW_LEFT_OUT = Message("slot {slot} of row {row} is left out", "第 {row} 行漏加槽 {slot}")
OF_ROW_TWICE = Message(
    "slot {slot} of row {row} is added twice", "第 {row} 行的槽 {slot} 被加了两次"
)
OF_ROW_UNWEIGHED = Message(
    "slot {slot} of row {row} has no coefficient", "第 {row} 行的槽 {slot} 未乘系数"
)
ROW_HAS_COEFFICIENTS = Message(
    "row {row} has the coefficients of row {other}", "第 {row} 行用了第 {other} 行的系数"
)
ROW_HOLDS_SUM = Message("row {row} holds the sum of row {other}", "第 {row} 行为第 {other} 行之和")
ROW_READS_ROWS = Message(
    "row {row} reads the rows of row {other}", "第 {row} 行读取了第 {other} 行的源行"
)
ROW_READS_TENSOR = Message(
    "row {row} reads the rows of {tensor} of row {other}",
    "第 {row} 行读取了第 {other} 行的 {tensor} 源行",
)
ROW_KEEPS_SUM = Message(
    "row {row} still holds the sum of row {other} below its own",
    "第 {row} 行仍留有第 {other} 行之和",
)
SLOT_READS = Message(
    "slot {slot} of row {row} reads {seen}, not {right}",
    "第 {row} 行的槽 {slot} 读取了 {seen}，而非 {right}",
)
ROW_ADDS = Message(
    "row {row} adds row {other} where no row must be added",
    "第 {row} 行在不应累加处加了第 {other} 行",
)
ROW_COLUMNS_AFTER = Message(
    "row {row} is that of {count} columns after the right ones",
    "第 {row} 行为正确列后第 {count} 列的内容",
)
ROW_COLUMNS_BEFORE = Message(
    "row {row} is that of {count} columns before the right ones",
    "第 {row} 行为正确列前第 {count} 列的内容",
)
