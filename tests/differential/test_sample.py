"""A seeded sample of the generated command lines. All of them: `python -m tests.differential`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.options import OPTIONS, Arity, known_to
from tests.differential.compare import NORMALISED, Workshop, _judge, behind, mode_of
from tests.differential.differences import DELIBERATE, unexplained
from tests.differential.lines import all_lines, option_lines
from tests.differential.project import Line, write_project

SEED = 20261121
DRY, WET = 20, 8
ALWAYS = (  # one of each kind that a sample may miss
    Line("hand", ("--version",)),
    Line("hand", ("-v", "__cmake_determine_cuda")),
    Line("hand", ("-v", "-E", "a.cu")),
    Line("hand", ("-run", "exit3.cu", "--run-args=9")),
    Line("hand", ("-cubin", "bad.ptx")),
    Line("beside", ("-c", "bad_host.cu", "-o", "b.o")),
    Line("beside", ("a.cu", "b.cu", "-o", "app")),
    Line("hand", ("-c", "a.cu", "plain.cpp", "-MD", "--keep", "-odir", "out")),
    Line("stdin", ("-x", "cu", "-ptx", "-"), stdin=b"__global__ void k(int *p) { *p = 1; }\n"),
)


def _sample() -> list[Line]:
    """The same lines for every version: what one does not know, it rejects, and so must we."""
    pick = random.Random(SEED)
    lines = all_lines((13, 0), seed=SEED, mixtures=100)
    dry = [line for line in lines if line.dry]
    wet = [line for line in lines if not line.dry and "-run" not in line.argv]
    return [*ALWAYS, *pick.sample(dry, DRY), *pick.sample(wet, WET)]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, real_nvcc: str) -> Workshop:
    scratch = tmp_path_factory.mktemp("differential")
    template = scratch / "template"
    template.mkdir()
    nvcc = behind(real_nvcc)
    write_project(template, nvcc)
    return Workshop(scratch, nvcc, template)


@pytest.mark.nvcc
@pytest.mark.parametrize(
    ("line", "mode"),
    [(line, mode_of(line, number)) for number, line in enumerate(_sample())],
    ids=lambda value: value if isinstance(value, str) else value.text[:80],
)
def test_nobody_can_tell(line: Line, mode: str, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = workshop.compare(line, mode)
    assert unexplained(verdict) == []


def test_the_set_is_large_and_covers_every_option() -> None:
    lines = all_lines((13, 0))
    assert len(lines) >= 600
    assert len({(line.argv, line.stdin, line.cwd, *line.env.items()) for line in lines}) == len(lines)
    assert lines == all_lines((13, 0))
    spelled = {line.argv[3].partition("=")[0] for line in option_lines((13, 0))}
    for option in known_to((13, 0)):
        assert f"--{option.name}" in spelled
        assert f"-{option.short}" in spelled
    with_values = [option for option in OPTIONS if option.arity is not Arity.FLAG and option in known_to((13, 0))]
    assert all(
        any(line.argv[3:] == (f"-{o.short}", line.argv[-1]) for line in option_lines((13, 0))) for o in with_values
    )


@pytest.mark.parametrize("what", ["exit status", "stdout", "file b'a.o'"])
def test_a_difference_is_seen(what: str) -> None:
    """The comparison itself: nvcc's own variation is forgiven, anything else is not."""
    first = {"exit status": b"0", "stdout": b"tmpxft_00000001_00000000 x", "file b'a.o'": b"tmpxft_00000001_00000000"}
    second = {**first, "stdout": b"tmpxft_00000002_00000000 x", "file b'a.o'": b"tmpxft_00000002_00000000"}
    ours = {**first, "stdout": b"tmpxft_00000003_00000000 x", "file b'a.o'": b"tmpxft_00000003_00000000"}
    assert _judge(first, second, ours)[0] == ()
    assert _judge(first, first, ours)[0] != ()  # an nvcc that does not vary is not normalised
    (difference,) = _judge(first, second, {**ours, what: ours[what] + b"!"})[0]
    assert difference.startswith(what)
    missing = {name: value for name, value in ours.items() if name != what}
    assert _judge(first, second, missing)[0] == (f"{what}: only nvcc has it",)
    assert _judge(first, second, {**ours, "file b'new'": b""})[0] == ("file b'new': only gpuopt-nvcc has it",)


def test_every_deliberate_difference_has_a_reason_and_a_line() -> None:
    lines = all_lines((13, 0))
    for entry in DELIBERATE:
        assert len(entry.reason) > 20
        assert any(entry.lines(line) for line in lines)
    assert [way for way, _ in NORMALISED] == ["as it is", "ids", "numbers", "order", "size"]


def test_the_sources_are_as_they_are_described(tmp_path: Path, workshop: Workshop) -> None:
    """A comparison of things that all fail alike would prove nothing: these succeed."""
    for words in (
        ("-c", "a.cu"),
        ("-E", "inc.cu", "-Iinc"),
        ("-c", "crlf é.cu"),
        ("-ptx", "-optf", "args.rsp", "a.cu"),
    ):
        seen = workshop.run([workshop.nvcc], Line("check", words), "plugins")
        assert seen["exit status"] == b"0", seen["stderr"]
