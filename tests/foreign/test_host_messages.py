"""What the host code of a checkout says of a wrong call is kept, in its own words."""

from __future__ import annotations

import subprocess
from pathlib import Path

from device_kernels.foreign.library import HOST
from device_kernels.toolchain import compiler

PROGRAM = """
#include <cstdio>
#include "err/ops_err.h"

int main() {
    const gert::Shape shape{3, 4};
    const std::string told = Ops::Base::ToString(shape);
    OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON("node", "x", told.c_str(), "it has one axis");
    OP_LOGE_FOR_INVALID_DTYPE("node", std::string("y"), Ops::Base::ToString(ge::DT_BF16), "INT8");
    OP_LOGE_WITH_INVALID_ATTR("node", "k", "0", "above 0");
    OP_LOGE_WITHOUT_REPORT("node", "%s is nullptr", "z");
    REPORT("node", "of %d rows", 3);
    std::puts(::ascendsim::HostErrors().c_str());
}
"""
REPORTS = """
#include "log/log.h"
#define REPORT(node, format, ...)                      \\
    do {                                               \\
        OpLogSub(1, DLOG_ERROR, node, format, ##__VA_ARGS__); \\
        REPORT_INNER_ERR_MSG("E1", format, ##__VA_ARGS__);    \\
    } while (0)
"""


def test_each_macro_keeps_parameter_value_and_rule_once(tmp_path: Path) -> None:
    (tmp_path / "err").mkdir()
    (tmp_path / "err" / "ops_err.h").write_text(REPORTS)
    (tmp_path / "main.cpp").write_text(PROGRAM)
    words = [compiler(), "-std=c++17", "-I", str(HOST), "-I", str(tmp_path)]
    made = tmp_path / "main"
    subprocess.run([*words, str(tmp_path / "main.cpp"), "-o", str(made)], check=True)
    told = subprocess.run([str(made)], capture_output=True, text=True, check=True)
    assert told.stdout.strip().split("; ") == [
        "x is [3, 4]",
        "it has one axis",
        "y is DT_BF16",
        "INT8",
        "k is 0",
        "above 0",
        "z is nullptr",
        "of 3 rows",
    ]
