"""Where the wrong elements of an output lie."""

from conformance.catalogue.message import Message

RANGE = Message("{low}..{high}", "{low}–{high}")
ROWS = Message("{count:row|rows} {rows}", "第 {rows} 行")
ROWS_AND_MORE = Message("rows {rows} and {hidden} more", "第 {rows} 行及另外 {hidden} 行")
COLUMNS = Message("{count:column|columns} {columns}", "第 {columns} 列")
COLUMNS_AND_MORE = Message(
    "columns {columns} and {hidden} more", "第 {columns} 列及另外 {hidden} 列"
)
PLACE = Message("row {row}, column {column}", "第 {row} 行第 {column} 列")
ST = Message("{number}st", "{number}")
ND = Message("{number}nd", "{number}")
RD = Message("{number}rd", "{number}")
TH = Message("{number}th", "{number}")

ALL = Message("all elements", "全部元素")
ONE = Message("one element, {place}", "一个元素，{place}")
REST = Message(
    "everything from {start} on in memory order, {count} elements",
    "按内存顺序自{start}起的全部 {count} 个元素",
)
RUN = Message(
    "one run of {count} elements in memory order, from {start} to {end}",
    "按内存顺序连续的 {count} 个元素，自{start}至{end}",
)
SCATTERED = Message(
    "{count} elements scattered over {rows} and {columns}",
    "{count} 个元素，分散于{rows}与{columns}",
)
WHOLE_ROWS = Message("whole {rows}", "整行错误：{rows}")
OF_EVERY_ROW = Message("{columns} of every row", "每行的{columns}")
OF_ROWS = Message("{columns} of {rows}", "{rows}的{columns}")

LAST_ROWS = Message("the last ones", "即末尾各行")
EVERY_ROW = Message("every {step} row from row {first} on", "即自第 {first} 行起每 {step} 行一行")
ROWS_OF_CORE = Message(
    "what core {core} of {cores} does if the rows are shared in order",
    "即按顺序均分时核 {core}（共 {cores} 核）所处理的行",
)
READERS_OF_SEGMENT = Message(
    "all rows that add from {source}[{group}] and no other", "恰为累加 {source}[{group}] 的全部行"
)
READERS_OF_ROW = Message(
    "all rows that add row {group} of {source} and no other",
    "恰为累加 {source} 第 {group} 行的全部行",
)
PARTIAL_BLOCK = Message("the last partial 32 bytes of a row", "即每行末尾不足 32 字节的部分")
END_OF_ROW = Message("the end of a row", "即行尾")
END_FROM_BLOCK = Message(
    "the end of a row from a multiple of 32 bytes on", "即自 32 字节整数倍处起的行尾"
)
ONE_TILE = Message(
    "one tile, if tiles are {width} columns wide", "若分块宽 {width} 列，则恰为一个分块"
)
EVERY_COLUMN = Message("every {step} column", "即每 {step} 列一列")
ONCE_IN_EACH_TILE = Message(
    "every {step} column, as if once in each tile", "即每 {step} 列一列，似每个分块一次"
)
