"""Programs for every construct of the language and of execution: the emulator prints what an H200 printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

HERE = Path(__file__).parent
EXPECTED = sorted((HERE / "expected").glob("*.txt"))
PROGRAMS = sorted({path.name.split(".")[0] for path in EXPECTED})


def _noted(source: str, what: str) -> list[str]:
    """The words after `// flags:` or `// with:` at the head of a program."""
    found = re.search(rf"^// {what}:(.*)$", source, re.MULTILINE)
    return found.group(1).split() if found else []


@pytest.mark.parametrize("program", PROGRAMS)
def test_same_output_as_on_a_gpu(program: str, tmp_path: Path) -> None:
    text = (HERE / f"{program}.cu").read_text()
    sources = [HERE / name for name in (f"{program}.cu", *_noted(text, "with"))]
    flags = [flag for flag in _noted(text, "flags") if not flag.startswith("-l")]
    env = {"GPUOPT_EMU_MODE": "fast"}
    assert compile_with(*sources, *flags, "-o", tmp_path / "program", cwd=tmp_path, env=env, gpu="h200") == 0
    for path in EXPECTED:
        name, _, argument = path.stem.partition(".")
        if name != program:
            continue
        done = run(tmp_path / "program", *filter(None, [argument]))
        assert done.stdout == path.read_text(), done.stderr


@pytest.mark.parametrize("program", ["exec_groups_all", "exec_atomics_all", "exec_memory_functions", "exec_arrivals"])
def test_check_mode_finds_nothing(program: str, tmp_path: Path) -> None:
    flags = _noted((HERE / f"{program}.cu").read_text(), "flags")
    assert (
        compile_with(HERE / f"{program}.cu", *flags, "-o", tmp_path / "program", cwd=tmp_path, gpu="h200", check=True)
        == 0
    )
    done = run(tmp_path / "program", GPUOPT_EMU_MODE="check")
    assert done.stdout == (HERE / "expected" / f"{program}.txt").read_text()
    assert "check: 0 errors" in done.stderr, done.stderr


def test_every_program_has_an_expected_output() -> None:
    others = {name for path in HERE.glob("*.cu") for name in _noted(path.read_text(), "with")}
    programs = {
        path.stem for path in HERE.glob("*.cu") if path.name not in others and path.name[:4] in ("lang", "exec")
    }
    assert programs <= set(PROGRAMS)
