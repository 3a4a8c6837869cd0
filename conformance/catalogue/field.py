"""What is said of calls that are read from other tools' files, and of cases in a folder."""

from conformance.catalogue.message import Message

LINE = Message("line {line}", "第 {line} 行")
CASE = Message("case {number}", "第 {number} 个用例")

NO_DTYPE = Message("{dtype} is no data type that is known", "{dtype} 不是已知的数据类型")
NO_SHAPE = Message("{shape} is no shape", "{shape} 不是合法的 shape")
NO_NUMBER = Message("{value} is no number", "{value} 不是数值")
NO_INTEGERS = Message("{value} is no list of integers", "{value} 不是整数列表")
MANY_NUMBERS = Message(
    "{count:,} numbers are listed; at most {most:,} are read",
    "列出了 {count:,} 个数值，最多读取 {most:,} 个",
)
OTHER_COUNT = Message(
    "{count:,} values are listed for {size:,} elements", "为 {size:,} 个元素列出了 {count:,} 个数值"
)
NO_FIELD = Message("{name} is missing, or of another type", "缺少 {name}，或其类型不符")
NO_CSV = Message("no CSV: {error}", "不是 CSV：{error}")
DISABLED = Message("is_enabled is False", "is_enabled 为 False")
LAYOUT = Message("{column}: layouts are not read", "{column}：不读取内存布局")
BINARIES = Message("{column}: binary files are not read", "{column}：不读取二进制文件")
SCALARS = Message(
    "{column}: no operator of the records has a scalar", "{column}：记录中的算子没有标量参数"
)
NO_FUNCTION = Message("neither op_name nor api_name", "既无 op_name 也无 api_name")
NO_DICTIONARY = Message("{column} is no dictionary", "{column} 不是字典")
NO_LIST = Message("{column} is no list", "{column} 不是列表")
TENSOR_LIST = Message(
    "{column}: lists of tensors are not read: no operator of the records takes one",
    "{column}：不读取张量列表：记录中的算子均不接受张量列表",
)
OTHER_LENGTH = Message(
    "{column} has neither one entry nor {count}", "{column} 的条目数既不是 1 也不是 {count}"
)
LONG_CELL = Message(
    "a cell of {count:,} characters; at most {most:,} are read",
    "单元格有 {count:,} 个字符，最多读取 {most:,} 个",
)
DEEP_CELL = Message(
    "a cell of {depth} nested brackets; at most {most} are read",
    "单元格有 {depth} 层括号，最多读取 {most} 层",
)
NO_LITERAL = Message("{text} is no literal", "{text} 不是字面量")

EXPECTS_AN_ERROR = Message(
    "it expects an error message, which no record has", "该用例期望错误信息，而记录中没有错误信息"
)
OTHER_TYPE = Message("{name}: type {type} is not read", "{name}：不读取类型 {type}")
OTHER_RANGE = Message("the range {range} is not read", "不读取取值范围 {range}")
TEXT_ATTRIBUTE = Message(
    "{name} is a text: no operator of the records has such an attribute",
    "{name} 是文本：记录中的算子没有此类属性",
)

BACKWARD = Message(
    "a backward entry: it has gradients, and no call of a function",
    "反向条目：只有梯度，没有函数调用",
)
FILE_NAME = Message("{file}: no name of a dumped tensor", "{file}：不是转储张量的文件名")
A_LINK = Message("{file} is a link, which is not followed", "{file} 是链接，不予跟随")
UNREADABLE = Message("{file} cannot be read: {why}", "无法读取 {file}：{why}")
NO_ARRAY = Message("it is no array of numbers", "不是数值数组")
NEEDS_TORCH = Message(
    "{file} needs PyTorch, which is not installed here", "{file} 需要 PyTorch，而此处未安装"
)
OTHER_SHAPE = Message(
    "{file} has shape {shape}, dump.json says {told}",
    "{file} 的 shape 为 {shape}，dump.json 为 {told}",
)
OTHER_DTYPE = Message(
    "{file} has data type {dtype}, dump.json says {told}",
    "{file} 的数据类型为 {dtype}，dump.json 为 {told}",
)

NO_RECORD = Message("no record: {function}", "没有算子记录：{function}")
NO_SCHEMA = Message("the parameters of {function} are not known", "不了解 {function} 的参数")
NO_PARAMETER = Message("{name} is none of {names}", "{name} 不在以下参数之中：{names}")
NO_KEYWORD = Message(
    "{name} reaches no parameter of {operator}", "{name} 不对应 {operator} 的任何参数"
)
NO_ATTRIBUTE = Message("{name} is an attribute, and given a tensor", "{name} 是属性，却给了张量")
NO_TENSOR = Message("{name} is a tensor, and given none", "{name} 是张量，却没有给出")
OTHER_TENSORS = Message(
    "{count} tensors; the interface has {own}: one that is left out stands as None",
    "{count} 个张量，而接口有 {own} 个：未给出的须写作 None",
)
MANY_POSITIONS = Message(
    "{count} arguments without a name; the function takes {most}",
    "{count} 个未具名参数，而函数只接受 {most} 个",
)
MISSING = Message("{name} is not given", "未给出 {name}")
NO_VALUE = Message("{name} cannot be {value}", "{name} 不能为 {value}")
TOO_LARGE = Message(
    "{size:,} elements; at most {most:,} are read (--most-elements)",
    "{size:,} 个元素，最多读取 {most:,} 个（--most-elements）",
)
OTHER_FORMAT = Message("{name}: format {format} is not ND", "{name}：格式 {format} 不是 ND")
OUT_OF_DTYPE = Message("a value that {dtype} does not hold", "存在 {dtype} 无法表示的数值")
NO_MODE = Message("the record has no mode for it", "记录中没有与之对应的模式")
NO_ROUTING = Message(
    "no values were found such as the record draws", "没有找到与记录所生成者同类的数值"
)
MISFIT = Message("{about} does not fit the record", "{about} 与记录不符")
MUST_REFUSE = Message(
    "the interface must refuse it, status {status}, for {about}: {rule}",
    "接口必须拒绝该调用，状态码 {status}，因 {about}：{rule}",
)
NOT_ALLOWED = Message("no call that the record allows: {reason}", "不是记录允许的调用：{reason}")
UNREACHED = Message(
    "torch_npu does not make this call: {reason}", "torch_npu 不会进行此调用：{reason}"
)
OTHERWISE = Message(
    "{name}: the record makes {value} of it, the file says {wanted}",
    "{name}：记录由此得到 {value}，文件中为 {wanted}",
)
DRAWN = Message("drawn", "生成")
OWN = Message("of the file", "取自文件")
PARTLY_OWN = Message("{own} of {count} of the file", "{count} 个中 {own} 个取自文件")

NO_FOLDER = Message("must be a folder", "必须是目录")
MANY_FILES = Message("has more than {most:,} files", "文件超过 {most:,} 个")
NO_CASES = Message(
    "has no case that can be judged; the first that was looked at: {first}",
    "没有可判定的用例；首个被查看的文件：{first}",
)
MANY_UNREAD = Message(
    "has {count:,} files that are no case to judge; allowed: up to {most:,}. The first: {first}",
    "有 {count:,} 个文件不是可判定的用例；允许：至多 {most:,} 个。首个：{first}",
)
OF_FILE = Message("the case of {file}", "用例文件：{file}")

NEW_FOLDER = Message("must be a new folder, or an empty one", "必须是新目录或空目录")
NO_TEXT = Message("is no UTF-8 text", "不是 UTF-8 文本")
NO_JSON = Message("is no JSON: {error}", "不是 JSON：{error}")
NO_TOOL = Message(
    "allowed: a CSV file of TTK (.csv), a case file of ATK or a dump.json of msprobe (.json)",
    "允许：TTK 的 CSV 文件（.csv）、ATK 的用例文件或 msprobe 的 dump.json（.json）",
)
THE_REST = Message("the rest", "其余部分")
MANY_ROWS = Message("at most {most:,} calls of a file are read", "每个文件最多读取 {most:,} 次调用")
UNNAMED = Message("unnamed", "未命名")

READ = Message(
    "{file}: {tool}, {read} of {rows} calls read", "{file}：{tool}，{rows} 次调用中读取了 {read} 次"
)
OF_OPERATOR = Message("  {operator}: {count}", "  {operator}：{count}")
VALUES = Message("  values {values}: {count}", "  数值{values}：{count}")
RETURNED = Message(
    "  outputs as dumped, judged as of any device: {accepted} accepted, {failed} failed",
    "  按任意设备判定转储的输出：{accepted} 个通过，{failed} 个未通过",
)
NOT_BOUNDED = Message(
    "  {count} {count:value|values} of them not bounded: nothing is known of the device's"
    " functions",
    "  其中 {count} 个值无界：对该设备的函数一无所知",
)
FAILED = Message("  failed as dumped: {place}", "  转储的输出未通过：{place}")
AGAIN = Message("the same call again: {command}", "重新执行同一调用：{command}")
MORE_FAILED = Message(
    "  and {count} more that failed (--verbose has all)",
    "  另有 {count} 个未通过（--verbose 列出全部）",
)
NOT_READ = Message("  not read, {count}: {reason}", "  未读取 {count} 次：{reason}")
WHERE = Message("    {places}", "    {places}")
MORE_REASONS = Message(
    "  and {count} more reasons (--verbose has all)", "  另有 {count} 个原因（--verbose 列出全部）"
)
WRITTEN = Message(
    "{count} cases in {folder}; judge them: {command}",
    "{folder} 中共 {count} 个用例；判定命令：{command}",
)
NONE_READ = Message("no call was read", "没有读取到任何调用")
