"""Rules by which what is moved or counted comes out wrong."""

from conformance.catalogue.message import Message

ZEROS = Message("zeros lie where values belong", "应有数值处为零")
KEPT = Message("values lie where zeros belong", "应为零处有数值")
SHIFTED = Message(
    "row r holds what belongs in row r {sign} {step}",
    "第 r 行写入了第 r{sign}{step} 行的内容（整体错位）",
)
REVERSED = Message("row r holds the row that belongs as far from the end", "各行前后颠倒")
TURNED = Message(
    "rows lie as [{other}, {many}] where they must as [{many}, {other}]",
    "行按 [{other}, {many}] 排列，应按 [{many}, {other}] 排列",
)
ONE_FOR_ALL = Message(
    "all wrong rows hold what belongs in row {row}", "所有错误行均为第 {row} 行的内容"
)
ROWS_REORDERED = Message("the right rows in another order", "行的内容正确，但顺序不同")
COLUMNS_AFTER = Message(
    "wrong elements hold what belongs {count} columns after them",
    "错误元素为其后第 {count} 列的内容",
)
COLUMNS_BEFORE = Message(
    "wrong elements hold what belongs {count} columns before them",
    "错误元素为其前第 {count} 列的内容",
)
ANOTHER_ROW = Message(
    "row {row} holds what belongs in row {other}", "第 {row} 行为第 {other} 行的内容"
)
ROW_OF_INPUT = Message(
    "row {row} holds row {other} of {tensor}", "第 {row} 行为 {tensor} 的第 {other} 行"
)

QUIET_NANS = Message("signalling NaNs were made quiet", "信令 NaN 变为静默 NaN")
ONE_NAN = Message("every NaN became {bits}", "所有 NaN 变为 {bits}")
PLUS_ZERO = Message("minus zero became plus zero", "负零变为正零")
FLUSHED = Message("subnormals were flushed to zero", "次正规数被刷为零")
LOW_BITS_MOVED = Message("only the low {bits} bits were moved", "仅搬运了低 {bits} 位")

INVERSE = Message(
    "the inverse permutation: argsort and rank are exchanged",
    "得到的是逆排列：argsort 与 rank 互换",
)
OWN_PLACES = Message("each element holds its own place, no index", "每个元素为其自身位置而非索引")
TOO_LARGE = Message("each is {away} too large", "每个值都大 {away}")
TOO_SMALL = Message("each is {away} too small", "每个值都小 {away}")
LOW_BITS = Message("the low {bits} bits of each", "只有每个值的低 {bits} 位")
VALUES_REORDERED = Message("the right values in another order", "数值正确，但顺序不同")
TIES = Message(
    "ties are broken otherwise: only elements of equal {name} changed places",
    "相等键的先后处理不同：仅 {name} 相等的元素互换了位置",
)
COUNTS_FOR_SUMS = Message(
    "counts of each, where running sums of the counts belong",
    "应为计数的累加和处写入了各自的计数",
)
SUMS_FOR_COUNTS = Message(
    "running sums of the counts, where counts of each belong",
    "应为各自计数处写入了计数的累加和",
)
SUMS_WITHOUT_OWN = Message("running sums, each without its own count", "累加和均未计入自身的计数")
