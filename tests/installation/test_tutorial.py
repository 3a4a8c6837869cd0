"""What a page shows is told from what a command does, also in its details."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installation.tutorial import Command, commands, write_files

PAGE = """\
Prose.

```python title="folder/module.py"
NAME = 1
```

```console
$ first --option
built in ... s
done
$ second
[status 3]
```

```sh
never run
```
"""


def test_titled_blocks_are_files(tmp_path: Path) -> None:
    (written,) = write_files(PAGE, tmp_path)
    assert written == tmp_path / "folder" / "module.py"
    assert written.read_text() == "NAME = 1\n"


def test_commands_have_output_and_status() -> None:
    first, second = commands(PAGE)
    assert first == Command("first --option", "built in ... s\ndone", 0)
    assert second == Command("second", "", 3)


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("built in 3 s\ndone\n", True),
        ("built in 3 s \ndone", True),
        ("built in 3 s\njudging for 1 min: 2 of about 9 verdicts\ndone", True),
        ("built in 3 s\ndone\nmore", False),
        ("built in 3 ms\ndone", False),
        ("built in 3 s\nDone", False),
        ("", False),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(printed: str, same: bool) -> None:
    assert next(commands(PAGE)).matches(printed) == same
