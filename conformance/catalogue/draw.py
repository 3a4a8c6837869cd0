"""What profiles are for."""

from conformance.catalogue.message import Message

SMOKE = Message("eight minutes on two cores", "双核上八分钟")
GATE = Message("a quarter of an hour on two cores", "双核上一刻钟")
NIGHTLY = Message("new cases for hours", "数小时的新用例")
