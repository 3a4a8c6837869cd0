"""The help of ``import``, and of what ``run`` writes for other programs."""

from conformance.catalogue.message import Message

IMPORT = Message(
    "make cases of other tools' files: TTK, ATK, msprobe",
    "由其他工具的文件生成用例：TTK、ATK、msprobe",
)
WHAT = Message(
    "Make a case of each call in files of TTK (CSV), ATK (JSON) and msprobe (dump.json), and say"
    " what was not read (docs/how-to/field-cases.md).",
    "由 TTK（CSV）、ATK（JSON）与 msprobe（dump.json）文件中的每次调用生成用例，并说明未读取的内容"
    "（docs/how-to/field-cases.md）。",
)
FILES = Message("a file of one of these tools", "上述工具之一的文件")
OUT = Message("a new folder for the cases", "存放用例的新目录")
MOST_ELEMENTS = Message(
    "leave out calls whose inputs have more elements together ({most})",
    "略去输入元素总数超过该值的调用（{most}）",
)
CSV = Message(
    "write a row for each case, for a spreadsheet", "写出 CSV 表格，每个用例一行，可用电子表格打开"
)
SCORE = Message(
    "print one number: how many cases failed or were not judged (for scripts that bisect)",
    "输出一个数：未通过与未判定的用例数（供二分查找脚本使用）",
)
