"""The table of options beside the nvcc at hand: it says itself which ones it knows and which take a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from gpuopt_driver import nvcc_main
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.inputs import InputKind
from gpuopt_driver.nvcc.options import OPTIONS, Arity, Option, Topic, known_to
from gpuopt_driver.nvcc.tokens import GpuoptOptions
from tests.driver.support import run

RENAMED = "host-relocatable-link"  # its short name was -r before 13.0, now it is -host-r
NEWEST = (13, 5)  # of the versions that the table was read from


@pytest.fixture(scope="module")
def version(real_nvcc: str) -> tuple[int, int]:
    text = run([real_nvcc, "--version"], Path.cwd()).stdout.decode()
    major, minor = re.search(r"release (\d+)\.(\d+)", text).groups()
    return int(major), int(minor)


def listed(help_text: str) -> Iterator[tuple[str, str, bool]]:
    """Long name, short name (with its dashes) and whether there is a value, of every option in `nvcc --help`."""
    for name, value, short in re.findall(r"^--([\w-]+) *(.*?) +(\([^()]+\)|--[\w-]+) *$", help_text, re.MULTILINE):
        yield name, short.strip("()"), bool(value)


@pytest.mark.nvcc
def test_what_help_lists_is_in_the_table(version: tuple[int, int], real_nvcc: str) -> None:
    if version > NEWEST:
        pytest.skip("a later nvcc may have options that the table does not know; they are passed on")
    table = {option.name: option for option in known_to(version)}
    text = run([real_nvcc, "--help"], Path.cwd()).stdout.decode()
    names = set()
    for name, short, has_value in listed(text):
        names.add(name)
        option = table[name]
        if option.name == RENAMED and version < (13, 0):
            continue
        assert f"-{option.short}" == short
        if name != "dependency-output":  # --help forgets its value
            assert (option.arity is not Arity.FLAG) is has_value or name == "qpp-config", name
    assert len(names) > 120
    if version >= (13, 0):
        assert {name for name, option in table.items() if not option.hidden} == names


@pytest.mark.nvcc
def test_nvcc_says_which_options_take_a_value(version: tuple[int, int], real_nvcc: str, tmp_path: Path) -> None:
    """Every option of this version in both names, hidden ones too."""
    (tmp_path / "a.cu").write_text("int x;\n")

    def said(*argv: str) -> str:
        return run([real_nvcc, "--dryrun", "-c", "a.cu", *argv], tmp_path).stderr.decode()

    answers = {Arity.FLAG: "no argument expected", Arity.OPTIONAL: "#$ fatbinary"}
    answers |= dict.fromkeys((Arity.SINGLE, Arity.LIST), "argument expected after")
    wrong: list[str] = []
    for option in known_to(version):
        if option.topic is Topic.INFO or (option.name == RENAMED and version < (13, 0)):
            continue
        for name in dict.fromkeys((f"--{option.name}", f"-{option.short}")):
            text = said(f"{name}=1") if option.arity is Arity.FLAG else said(name)
            if answers[option.arity] not in text:
                wrong.append(f"{name}: {text.splitlines()[-1] if text else ''}")
    assert wrong == []


@pytest.mark.nvcc
def test_nvcc_does_not_know_what_other_versions_have(version: tuple[int, int], real_nvcc: str, tmp_path: Path) -> None:
    others: list[Option] = [option for option in OPTIONS if option not in known_to(version)]
    assert others
    for option in others:
        text = run([real_nvcc, "--dryrun", "-c", "a.cu", f"--{option.name}"], tmp_path).stderr.decode()
        assert "Unknown option" in text, option.name


@pytest.mark.parametrize("word", ["--from-a-later-nvcc", "-newest", "--newest=3", "-Wnew", "--x-y-z=a,b"])
def test_an_option_from_a_later_nvcc_is_passed_on_and_disturbs_nothing(word: str) -> None:
    command = parse_command(["-arch=sm_90", word, "-c", "a.cu", "-o", "x.o"], {}, "/project")
    assert command.argv_for_nvcc == ("-arch=sm_90", word, "-c", "a.cu", "-o", "x.o")
    assert command.unknown == (word,)
    assert [item.path for item in command.cuda_inputs] == ["a.cu"]
    assert (command.output, command.archs, command.problem) == ("x.o", (90,), "")


def test_its_value_is_no_source() -> None:
    command = parse_command(["--from-a-later-nvcc", "value", "-c", "a.cu"], {}, "/project")
    assert [item.kind for item in command.inputs] == [InputKind.UNKNOWN, InputKind.CUDA]
    assert [item.path for item in command.cuda_inputs] == ["a.cu"]


def test_our_options_are_told_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gpuopt-nvcc", "a.cu", "--gpuopt-help"])
    assert nvcc_main.main() == 0
    told = capsys.readouterr().out
    for option in (field.name for field in fields(GpuoptOptions)):
        assert f"--gpuopt-{option}" in told
        assert f"GPUOPT_{option.upper()}" in told
