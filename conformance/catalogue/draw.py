"""What profiles are for."""

from conformance.catalogue.message import Message

SMOKE = Message("a minute and a half on two cores", "双核上一分半钟")
GATE = Message("a quarter of an hour on two cores", "双核上一刻钟")
NIGHTLY = Message("new cases for hours", "数小时的新用例")
