"""What a phrase is: a pattern of an English sentence, and its Chinese words."""

from __future__ import annotations

import re
from collections.abc import Callable

Phrase = tuple[str, str | Callable[[re.Match[str]], str]]
