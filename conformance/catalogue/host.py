"""What ``doctor`` finds on a host: what is there, what a lack prevents, and what to do."""

from conformance.catalogue.message import Message

OK = Message("ok", "正常")
MISSING = Message("missing", "缺少")
PREVENTS = Message("prevents {what}", "影响：{what}")
JUDGED_HERE = Message(
    "kernels can be judged here: --device {devices}", "此处可以判定 Kernel：--device {devices}"
)
NOT_JUDGED_HERE = Message("nothing can be judged here", "此处无法判定")

JUDGING = Message("judging on an NPU", "在 NPU 上判定")
JUDGING_IT = Message("judging it on an NPU", "在 NPU 上判定该算子")
JUDGING_ANYTHING = Message("judging anything", "任何判定")
THROUGH_TORCH = Message(
    "judging through torch_npu, and Python functions on --device sim",
    "通过 torch_npu 判定，以及在 --device sim 上判定 Python 函数",
)
BUILDING = Message("building the simulated device", "编译模拟设备")
KEEPING = Message("keeping what was built or judged", "保存编译或判定的结果")
KNOWING_OPERATORS = Message("knowing which operators there are", "确定有哪些算子")
PASSED_OVER = Message(
    "judging it: the built-in operator is called in its place", "判定它：将改为调用内置算子"
)

COMPILER = Message("C++ compiler", "C++ 编译器")
NOT_HERE = Message("not here; {other} builds in its place", "没有；由 {other} 代替编译")
NO_VERSION = Message("no version", "无版本")
VERSION = Message("{version} ({path})", "{version}（{path}）")
BUILD_FOLDER = Message("build folder", "编译目录")
RUN_FOLDER = Message("run folder", "运行目录")
NO_FOLDER = Message(
    "{folder} is no folder that can be written; choose another: {option}",
    "{folder} 不是可写的目录，请另选：{option}",
)
FREE = Message("{folder}, {free:.1f} GiB free", "{folder}，剩余 {free:.1f} GiB")
NODES = Message("NPU nodes", "NPU 设备节点")
GET_A_DRIVER = Message(
    "none is needed to simulate; on an NPU host: install the driver, pass the device on",
    "仅模拟时不需要；在 NPU 主机上：安装驱动，并将设备传入容器",
)
SOURCE_CANN = Message(
    "none is needed to simulate; on an NPU host: source CANN's set_env.sh",
    "仅模拟时不需要；在 NPU 主机上：source CANN 的 set_env.sh",
)
HOME_IS_NO_FOLDER = Message(
    "ASCEND_HOME_PATH={folder} is no folder: {advice}",
    "ASCEND_HOME_PATH={folder} 不是目录：{advice}",
)
INSTALLED = Message("installed", "已安装")
NO_TORCH_NEEDED = Message("none is needed for the route aclnn", "调用路径 aclnn 不需要")
DEVICE = Message("device {device}", "设备 {device}")

DRIVER = Message("driver", "驱动")
NO_DRIVER = Message(
    "no {file}: on the host, install the driver; in a container, start it with -v"
    " {folder}:{folder}:ro",
    "没有 {file}：在主机上安装驱动；在容器中，启动时加 -v {folder}:{folder}:ro",
)
MANAGER_NODES = Message("manager nodes", "管理节点")
NO_MANAGERS = Message(
    "on the host, load the driver; in a container, start it with {options}",
    "在主机上加载驱动；在容器中，启动时加 {options}",
)
ACCESS = Message("access to nodes", "节点访问权限")
ALL_NODES = Message("all {count}", "全部 {count} 个")
NO_ACCESS = Message(
    "{nodes}: of group {group}; on the host: usermod -a -G {add} USER, then log in again; in a"
    " container: start it with --group-add {number}",
    "{nodes}：属于组 {group}；在主机上：usermod -a -G {add} USER，然后重新登录；在容器中："
    "启动时加 --group-add {number}",
)
CARDS = Message("cards", "卡")
NO_CARDS = Message(
    "{variable}={value} leaves none: it takes ascending numbers from 0, no spaces; unset it",
    "{variable}={value} 未留下任何卡：应为从 0 起递增的编号且无空格；请取消该变量",
)
WAIT = Message("wait, or ask who they are", "请等待，或询问占用者")
PROBES = Message("function probe", "函数探测")
BOUNDING = Message(
    "bounding values that are computed through exp, ln, sqrt or division",
    "为经由 exp、ln、sqrt 或除法算出的值给出界",
)
NO_PROBES = Message(
    "build device_kernels with CANN, and {variable}=DIR (docs/how-to/npu-host.md, section 5)",
    "用 CANN 编译 device_kernels，并设置 {variable}=DIR（docs/how-to/npu-host.md，第 5 节）",
)
NOT_THE_PROBE = Message(
    "{file} has no function probe: build device_kernels with CANN anew"
    " (docs/how-to/npu-host.md, section 5)",
    "{file} 中没有函数探测：请用 CANN 重新编译 device_kernels（docs/how-to/npu-host.md，第 5 节）",
)
CARDS_FREE = Message(
    "{free} of {all} free (locks in {folder})", "{all} 张中空闲 {free} 张（锁位于 {folder}）"
)
CANN_VERSION = Message("CANN version", "CANN 版本")
NO_CANN_VERSION = Message(
    "no file of ASCEND_HOME_PATH tells it: source set_env.sh of a whole installation",
    "ASCEND_HOME_PATH 中没有文件说明版本：请 source 完整安装的 set_env.sh",
)
CANN_TREE = Message("CANN tree", "CANN 目录")
INCOMPLETE_TREE = Message(
    "{folder} has no {missing}: install the whole toolkit",
    "{folder} 缺少 {missing}：请安装完整的 toolkit",
)
AND_NO = Message(" and no ", " 和 ")
OPERATOR_PACKAGES = Message("operator packages", "算子包")
NO_PACKAGES = Message(
    "ASCEND_OPP_PATH={folder} is no folder: source set_env.sh, install the kernels",
    "ASCEND_OPP_PATH={folder} 不是目录：请 source set_env.sh，并安装 kernels 包",
)
BUILT_IN = Message("built-in", "内置")
NO_LIBRARY = Message(
    "no folder of LD_LIBRARY_PATH has it: source CANN's set_env.sh",
    "LD_LIBRARY_PATH 的目录中都没有它：请 source CANN 的 set_env.sh",
)
UNREADABLE = Message("{path} cannot be read: chmod a+r it", "{path} 无法读取：请 chmod a+r")

KERNELS_FOR = Message("{library}; kernels for {socs}", "{library}；Kernel 适用于 {socs}")
NO_LIBRARY_AT_ALL = Message("no library", "任何库")
NO_SYMBOL = Message(
    "{symbol} is not in {libraries}: take a CANN that documents the operator",
    "{symbol} 不在 {libraries} 中：请使用文档载有该算子的 CANN",
)
NO_KERNELS = Message(
    "no {folder}/SOC/{operator}/*.o: install the kernels of your SoC",
    "没有 {folder}/SOC/{operator}/*.o：请安装对应 SoC 的 kernels 包",
)
PACKAGE = Message("package {name}", "算子包 {name}")
CALLED_AS = Message(
    "{path}, asked as number {place} (by {source})", "{path}，查找顺序第 {place}（依据 {source}）"
)
SKIPPED = Message(
    "{path} is passed over, {why}: chown {user} {name}", "{path} 被跳过，{why}：chown {user} {name}"
)

BUNDLE_ENDINGS = Message(
    "allowed: a name that ends with {endings}", "允许：以 {endings} 结尾的文件名"
)
ALREADY_THERE = Message("is there already; name another", "已存在，请另取名称")
FOLDER_NOT_THERE = Message("its folder is not there", "其所在目录不存在")
BUNDLE_NOT_WRITTEN = Message(
    "the bundle, {path}, cannot be written: {error}", "文件 {path} 无法写入：{error}"
)
BUNDLE_WRITTEN = Message(
    "{path}: {count} texts, {size:.0f} KiB; look through it before you send it"
    " (docs/how-to/npu-host.md)",
    "{path}：{count} 份文本，{size:.0f} KiB；发送前请先检查内容（docs/how-to/npu-host.md）",
)
NOT_TO_BE_HAD = Message("not to be had: {error}", "无法取得：{error}")
NO_NPU_SMI = Message("npu-smi is not in PATH", "PATH 中没有 npu-smi")
