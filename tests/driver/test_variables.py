"""Variables of the environment: what means nothing in them is said in one line, and everything goes on as without."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver import cli
from gpuopt_driver.variables import KNOWN, USERS, faults, is_on
from tests.driver.support import ROOT
from tests.driver.test_memo import Project

WRONG = {
    "GPUOPT_OFF": ("flase", "GPUOPT_OFF=flase: expected 1 or 0; it is left aside"),
    "GPUOPT_AHEAD": ("never", "GPUOPT_AHEAD=never: expected 1 or 0; it is left aside"),
    "GPUOPT_EMU_MODE": ("chekc", "GPUOPT_EMU_MODE=chekc: expected one of fast, check, model; it is left aside"),
    "GPUOPT_GPU_PATH": (":/no/such", "GPUOPT_GPU_PATH=:/no/such: /no/such is no directory; it is left aside"),
    "GPUOPT_CCCL": ("/etc/passwd", "GPUOPT_CCCL=/etc/passwd: /etc/passwd is no directory; it is left aside"),
    "GPUOPT_POLCIY": ("p.toml", "GPUOPT_POLCIY: no such variable; did you mean 'GPUOPT_POLICY'?"),
    "GPUOPT_CACHE": ("/tmp", "GPUOPT_CACHE: no such variable; did you mean 'GPUOPT_CACHE_DIR'?"),
    "GPUOPT_DISPTACH": ("original", "GPUOPT_DISPTACH: no such variable; did you mean 'GPUOPT_DISPATCH'?"),
    "GPUOPT_EMU_MOD": ("check", "GPUOPT_EMU_MOD: no such variable; did you mean 'GPUOPT_EMU_MODE'?"),
}
RIGHT = {
    "GPUOPT_OFF": ("1", "0", "", "yes", "No", "on", "off", "TRUE", "false", "2"),
    "GPUOPT_EMU_MODE": ("fast", "check", "model", ""),
    "GPUOPT_GPU_PATH": ("", "/tmp", ":/tmp:/"),
    "GPUOPT_DISPATCH": ("anything",),  # the program's affair
    "GPUOPT_SOMETHING_ELSE": ("x",),
    "GPUOPT_NVCC_TRIED": ("/x",),
    "MY_GPUOPT_POLCIY": ("x",),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_means_nothing_is_said(name: str) -> None:
    value, said = WRONG[name]
    assert list(faults({name: value, "PATH": "/bin"})) == [said]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in RIGHT.items() for value in values])
def test_what_is_right_is_silent(name: str, value: str) -> None:
    assert list(faults({name: value})) == []


def test_no_known_name_is_taken_for_another() -> None:
    assert list(faults(dict.fromkeys(KNOWN, ""))) == []


@pytest.mark.parametrize(
    ("value", "on"), [("1", 1), ("Yes", 1), ("2", 1), ("0", 0), ("off", 0), ("", -1), ("what", -1)]
)
def test_a_switch_that_says_neither_is_not_set(value: str, on: int) -> None:
    for otherwise in (True, False):
        assert is_on({"S": value}, "S", otherwise=otherwise) is (otherwise if on < 0 else bool(on))
        assert is_on({}, "S", otherwise=otherwise) is otherwise


def test_every_variable_that_something_asks_for_is_known() -> None:
    used: set[str] = set()
    files = [path for place in ("gpuopt_driver", "plugins") for path in (ROOT / place).rglob("*")]
    for path in files:
        if path.suffix in (".py", ".c", ".cpp", ".h"):
            text = path.read_text(encoding="utf-8")
            used.update(re.findall(r'(?:getenv|env\.get|_setting|chosen|is_on)\((?:\w+, )?"(GPUOPT_\w+)"', text))
            used.update(re.findall(r'env(?:iron)?\["(GPUOPT_\w+)"\]', text))
    assert len(used) > 30
    assert sorted(used - KNOWN) == []
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    assert sorted(name for name in USERS if name not in pages) == []


def test_the_emulator_knows_the_same() -> None:
    text = (ROOT / "gpuopt_driver/emulator/runtime/settings.cpp").read_text(encoding="utf-8")
    (names,) = re.findall(r"names\[\] = \{(.*?)\};", text, re.DOTALL)
    of_programs = {name for name in USERS if name.startswith("GPUOPT_EMU_")}
    assert {f"GPUOPT_EMU_{name}" for name in re.findall(r'"(\w+)"', names)} == of_programs


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(tmp_path, monkeypatch)


def test_every_build_says_it_once_and_goes_on(project: Project) -> None:
    """Also one whose outcome is remembered."""
    said = b"gpuopt: warning: %s\n" % WRONG["GPUOPT_POLCIY"][1].encode()
    clean = project.compile()
    for _ in range(2):
        assert project.compile(GPUOPT_POLCIY="p.toml") == (clean[0], said, 0)
    assert project.is_repeated(GPUOPT_POLCIY="p.toml")
    assert project.compile(GPUOPT_OFF="flase")[1] == b"gpuopt: warning: %s\n" % WRONG["GPUOPT_OFF"][1].encode()
    assert project.compile(GPUOPT_CACHE_DIR="")[1].startswith(b"gpuopt: warning: GPUOPT_CACHE_DIR: not used as a cache")
    assert clean[1] == b""


def test_our_own_commands_say_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GPUOPT_POLCIY", "p.toml\nx")
    assert cli.main(["gpus"]) == 0
    assert capsys.readouterr().err == f"gpuopt: warning: {WRONG['GPUOPT_POLCIY'][1]}\n"


def test_it_costs_nothing_to_import() -> None:
    """It is part of command lines that take milliseconds."""
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}]; import gpuopt_driver.variables; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True)
    assert {"re", "difflib", "pathlib", "typing"}.isdisjoint(done.stdout.split())
