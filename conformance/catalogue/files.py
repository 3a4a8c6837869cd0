"""Files that cannot be read or written, and what lies there instead."""

from conformance.catalogue.message import Message

UNREADABLE = Message("cannot be read: {why}", "无法读取：{why}")
UNWRITABLE = Message("cannot be written: {why}", "无法写入：{why}")
UNREADABLE_FILE = Message("{what} {path} cannot be read: {why}", "无法读取 {what} {path}：{why}")
UNWRITABLE_FILE = Message("{path} cannot be written: {why}", "无法写入 {path}：{why}")

NOT_PLAIN = Message("it is {kind}, no plain file", "是{kind}，不是普通文件")
FOLDER = Message("a folder", "文件夹")
PIPE = Message("a pipe", "管道")
DEVICE = Message("a device", "设备")
SOCKET = Message("a socket", "套接字")
LINK = Message("a link", "链接")
SOMETHING_ELSE = Message("something else", "其他类型的文件")

GREW = Message("it has more than {most:,} bytes", "超过 {most:,} 字节")
TOO_LARGE = Message(
    "it has {size:,} bytes; at most {most:,} are read", "有 {size:,} 字节，最多读取 {most:,} 字节"
)
