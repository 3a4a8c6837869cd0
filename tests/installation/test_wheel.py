"""The wheel, installed where no checkout is, judges as the checkout does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conformance.former_names import MODULES
from tests.installation.installed import Installed

NAME = "moe_init_routing_v2_grad"
TOY = Path(__file__).parents[1] / "conformance" / "toy"
SMALL = "examples or dropless-float16"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Another repository, whose own names and pytest settings must not matter."""
    (tmp_path / "reference").mkdir()
    (tmp_path / "cases").mkdir()
    for package in ("reference", "cases"):
        (tmp_path / package / "__init__.py").write_text("raise RuntimeError('not the suite')\n")
    return tmp_path


def test_one_package_and_one_command_are_installed(installed: Installed) -> None:
    named = {entry.name for entry in installed.packages.iterdir()} - {"dependencies.pth"}
    assert {name for name in named if not name.endswith(".dist-info")} == {"conformance"}
    assert (installed.folder / "bin" / "moe-conformance").is_file()


def test_nothing_of_the_checkout_is_imported(installed: Installed, elsewhere: Path) -> None:
    names = ("conformance", "reference.floats", "device_kernels.build", "cases.test_values")
    imports = f"import sys, {', '.join(names)}; "
    tell = f"print(*(sys.modules[name].__file__ for name in {names}), sep='\\n')"
    done = installed.run("python", "-c", imports + tell, folder=elsewhere)
    assert done.returncode == 0, done.stderr
    inside = installed.packages / "conformance"
    assert all(Path(line).is_relative_to(inside) for line in done.stdout.splitlines())


def test_kernels_are_built_in_the_users_cache(installed: Installed, elsewhere: Path) -> None:
    tell = (
        "import conformance; from device_kernels.build import cache_folder; print(cache_folder())"
    )
    home = {"MOE_CONFORMANCE_CACHE": "", "XDG_CACHE_HOME": str(elsewhere / "home")}
    done = installed.run("python", "-c", tell, folder=elsewhere, **home)
    assert done.stdout.strip() == str(elsewhere / "home" / "moe-conformance"), done.stderr


def test_the_command_judges_from_any_folder(installed: Installed, elsewhere: Path) -> None:
    settings = "[pytest]\naddopts = --no-such-option\n"
    for folder in (elsewhere, installed.folder):
        (folder / "pytest.ini").write_text(settings)
    done = installed.run(
        *("moe-conformance", "run", "--operator", NAME, "--device", "sim", "-n", "0", "--json"),
        *("--", "-k", SMALL),
        folder=elsewhere,
    )
    (installed.folder / "pytest.ini").unlink()
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["verdict"], told["failures"]) == ("accepted", 0)
    assert told["cases"] > 100
    assert told["evidence"] == str(elsewhere / "reports" / "latest" / "evidence.json")


def test_pytest_of_another_repository_runs_the_templates(
    installed: Installed, tmp_path: Path
) -> None:
    done = installed.run(
        *("python", "-m", "pytest", "-p", "conformance.plugin", "--pyargs", "cases", "-q"),
        *("--conformance-device=sim", f"--conformance-operator={NAME}", "-k", "examples"),
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "evidence: " in done.stdout


def test_pytest_of_another_repository_runs_its_own_templates_and_records(
    installed: Installed, tmp_path: Path
) -> None:
    suite = shutil.copytree(TOY, tmp_path / "suite")
    done = installed.run(
        *("python", "-m", "pytest", "-p", "conformance.plugin", "check_copying.py", "-q"),
        *("--conformance-operators=records", "--conformance-operator=copying"),
        folder=suite,
        TOY="wrong",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "y is wrong in 1 of 5 elements." in done.stdout
    assert "replay: moe-conformance replay reports/pytest/failures/" in done.stdout


def test_records_and_templates_may_name_the_modules_of_before(
    installed: Installed, tmp_path: Path
) -> None:
    suite = shutil.copytree(TOY, tmp_path / "suite")
    for path in suite.rglob("*.py"):
        text = path.read_text()
        for former, today in MODULES.items():
            text = text.replace(
                f"from conformance.{today.split()[0]} ", f"from conformance.{former} "
            )
        path.write_text(text)
    assert "from conformance.operator import" in (suite / "records" / "copying.py").read_text()
    done = installed.run(
        *("python", "-m", "pytest", "-p", "conformance.plugin", "check_copying.py", "-q"),
        *("--conformance-operators=records", "--conformance-operator=copying"),
        folder=suite,
        TOY="wrong",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "y is wrong in 1 of 5 elements." in done.stdout
    assert "conformance.template is conformance.session.template today" in done.stdout
