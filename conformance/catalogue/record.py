"""What records are made of: where clauses come from, and what is wrong with a record's files."""

from conformance.catalogue.message import Message

ORIGIN = Message("{kind}: {source}", "{kind}：{source}")
DOCUMENT = Message("document", "文档")
MEASURED = Message("measured", "实测")
SOURCE_READ = Message("source-read", "源码")
INFERRED = Message("inferred", "推断")
