"""Programs for every construct of the language and of execution: the emulator prints what an H200 printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

HERE = Path(__file__).parent
EXPECTED = sorted((HERE / "expected").glob("*.txt"))
PROGRAMS = sorted({path.name.split(".")[0] for path in EXPECTED})

# Run in other modes, too.
CHECKED = ("exec_groups_all", "exec_atomics_all", "exec_memory_functions", "exec_arrivals", "exec_bulk")
FRAGMENTS = ("exec_wmma", "exec_mma")
IN_OTHER_MODES = (*CHECKED, *FRAGMENTS)


def _noted(source: str, what: str) -> list[str]:
    """The words after `// flags:` or `// with:` at the head of a program."""
    found = re.search(rf"^// {what}:(.*)$", source, re.MULTILINE)
    return found.group(1).split() if found else []


def _in_one_worker(program: str) -> Any:
    """A program that two tests run: it is built once."""
    return pytest.param(program, marks=pytest.mark.xdist_group(program))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Programs by name, each built once, with code for other modes where a test looks at it."""

    @cache
    def build(program: str) -> Path:
        text, folder = (HERE / f"{program}.cu").read_text(), tmp_path_factory.mktemp(program)
        sources = [HERE / name for name in (f"{program}.cu", *_noted(text, "with"))]
        flags = [flag for flag in _noted(text, "flags") if not flag.startswith("-l")]
        # The language and arithmetic are compiled as users' programs are; the rest need not run fast.
        soon, check = not program.startswith("lang_"), program in IN_OTHER_MODES
        argv = (*sources, *flags, "-o", folder / "program")
        assert compile_with(*argv, cwd=folder, gpu="h200", check=check, soon=soon) == 0
        return folder / "program"

    return build


@pytest.mark.parametrize("program", [_in_one_worker(name) if name in IN_OTHER_MODES else name for name in PROGRAMS])
def test_same_output_as_on_a_gpu(program: str, built: Callable[[str], Path]) -> None:
    for path in EXPECTED:
        name, _, argument = path.stem.partition(".")
        if name != program:
            continue
        done = run(built(program), *filter(None, [argument]))
        assert done.stdout == path.read_text(), done.stderr


@pytest.mark.parametrize("program", [_in_one_worker(name) for name in CHECKED])
def test_check_mode_finds_nothing(program: str, built: Callable[[str], Path]) -> None:
    done = run(built(program), GPUOPT_EMU_MODE="check")
    assert done.stdout == (HERE / "expected" / f"{program}.txt").read_text()
    assert "check: 0 errors" in done.stderr, done.stderr


@pytest.mark.parametrize("program", [_in_one_worker(name) for name in FRAGMENTS])
def test_lanes_have_what_other_lanes_gave_in_every_mode(program: str, built: Callable[[str], Path]) -> None:
    expected = (HERE / "expected" / f"{program}.txt").read_text()
    for mode in ("model", "check"):
        assert run(built(program), GPUOPT_EMU_MODE=mode).stdout == expected, mode


def test_every_program_has_an_expected_output() -> None:
    others = {name for path in HERE.glob("*.cu") for name in _noted(path.read_text(), "with")}
    programs = {
        path.stem for path in HERE.glob("*.cu") if path.name not in others and path.name[:4] in ("lang", "exec")
    }
    assert programs <= set(PROGRAMS)
