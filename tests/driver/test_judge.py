"""Answers, while nvcc runs, about the versions in its PTX; and what the library inside ptxas makes of them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from gpuopt_driver.backends import judge as judging
from gpuopt_driver.backends.judge import Judge
from gpuopt_driver.cache import Cache
from gpuopt_driver.patching import Patches
from gpuopt_driver.report.model import Decision, Finding, UnitReport
from gpuopt_driver.variants.emitted import Emitted
from tests.caches import common_library
from tests.ptx.test_check import ALIKE, DECLARED, FUSED, MET, entry
from tests.ptx.test_check import OTHER as APART
from tests.ptx.test_check import module as mended_module

OTHER = APART.replace("add.rn", "@%p1 add.rn")  # nobody knows how to give that its kernel's form
MINE, YOURS = (Emitted("k", name, (name,), frozenset(), ("x", "alpha")) for name in ("mine", "yours"))
ONE = Emitted("k", "mine", ("mine",), frozenset({"blockIdx"}), ("x", "alpha"))
Ask = Callable[[str], str]
READER = """
#include <stdio.h>
int main(int count, char **words) {
  FILE *file = fopen(words[1], "r");
  for (int c; file && (c = getc(file)) != EOF;) putchar(c);
  return !file;
}
"""


def module(mine: str, yours: str) -> str:
    """A kernel and two versions of it."""
    versions = (entry(f"_Z{len(name) + 10}k__gpuopt_{name}N4planEPff", text, 1) for name, text in named(mine, yours))
    return entry("_Z1kPff", ALIKE) + "".join(versions)


def named(mine: str, yours: str) -> tuple[tuple[str, str], ...]:
    return ("mine", mine), ("yours", yours)


@pytest.fixture
def judge(tmp_path: Path) -> Iterator[Judge]:
    made = Judge([MINE, YOURS], is_final=True, any_rounding=False, cache=Cache(tmp_path), same_code=lambda *_: {})
    yield made
    made.close()


@pytest.fixture
def ask(judge: Judge, tmp_path: Path) -> Ask:
    """What somebody is told of a module."""

    def asked(text: str) -> str:
        path = tmp_path / "kept.ptx"
        path.write_text(text)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(f"\0{judge.name}")
            client.sendall(f"{path}\n".encode())
            judge.answer()
            told = b""
            with suppress(ConnectionResetError):  # what was asked had not been read
                told = b"".join(iter(lambda: client.recv(9999), b""))
            return told.decode()

    return asked


def names(answer: str) -> list[str]:
    assert answer.endswith(".\n")
    return [row.split()[1] for row in answer.splitlines()[:-1]]


def test_versions_that_are_refused_are_named(judge: Judge, ask: Ask) -> None:
    assert names(ask(module(OTHER, ALIKE))) == ["_Z14k__gpuopt_mineN4planEPff"]
    assert list(judge.refused) == [("k", "mine")]
    assert judge.was_asked()
    assert not judge.unseen
    assert [row.split()[1:] for row in judge.rows] == [["_Z14k__gpuopt_mineN4planEPff", "-"]]


def test_who_asks_again_is_told_the_same(judge: Judge, ask: Ask) -> None:
    assert ask(module(OTHER, ALIKE)) == ask(module(OTHER, ALIKE))
    assert names(ask(entry("_Z1kPff", ALIKE))) == []


@pytest.mark.parametrize("order", [1, -1])
def test_a_version_that_one_gpu_alone_refuses_ends_the_build(judge: Judge, ask: Ask, order: int) -> None:
    """In whatever order nvcc comes to them (`--threads`): the same inputs give the same bytes."""
    first, second = [module(ALIKE, ALIKE), module(OTHER, ALIKE)][::order]
    assert names(ask(first)) == (["_Z14k__gpuopt_mineN4planEPff"] if order < 0 else [])
    assert ask(second) == ""
    assert judge.has_stopped
    assert judge.was_asked()


def test_a_build_whose_versions_are_all_refused_ends(judge: Judge, ask: Ask) -> None:
    assert ask(module(OTHER, OTHER)) == ""
    assert judge.ended_it
    assert list(judge.refused) == [("k", "mine"), ("k", "yours")]


def test_versions_that_nobody_asked_about_are_not_used(judge: Judge, ask: Ask) -> None:
    assert names(ask(entry("_Z1kPff", ALIKE))) == []
    assert list(judge.unseen) == [("k", "mine"), ("k", "yours")]


MET_TEXT = mended_module(DECLARED + MET, DECLARED + FUSED)  # nvcc fuses in the version what it leaves in the kernel


def told_of(
    text: str, cache: Cache, *versions: Emitted, same: Callable[[str, int], bool]
) -> tuple[str | None, Judge, list[tuple[str, int]]]:
    """What is told of a module with one version, and of which kernels it was asked, with how many bodies.

    `same`: whether a body of a kernel has its machine code, by the number of sums in it that are written to be apart.
    """
    asked: list[tuple[str, int]] = []

    def same_code(module: str, bodies: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
        assert module == text
        asked.extend((name, len(ways)) for name, ways in bodies.items())
        return {
            name: [at for at, way in enumerate(ways) if same(name, way.count("add.rn"))]
            for name, ways in bodies.items()
        }

    made = Judge([ONE, *versions], is_final=True, any_rounding=False, cache=cache, same_code=same_code)
    try:
        path = cache.root / "kept.ptx"
        path.write_text(text)
        return made._told(str(path)), made, asked
    finally:
        made.close()


def always(name: str, count: int) -> bool:
    return True


def never(name: str, count: int) -> bool:
    return False


def test_a_version_that_is_fused_otherwise_gets_other_instructions(tmp_path: Path) -> None:
    told, judge, asked = told_of(MET_TEXT, Cache(tmp_path), same=always)
    assert asked == [("_Z1kPff", 1)]
    (row,) = judge.rows
    head, _, body = row.partition("\n")
    assert head.split()[1:] == ["_Z14k__gpuopt_mineN4planEPff", "="]
    assert "add.rn.f32" in body
    assert told is not None
    assert Path(told.split()[4]).read_text() == body
    assert (judge.refused, judge.has_stopped) == ({}, False)


def test_what_is_less_likely_is_asked_next(tmp_path: Path) -> None:
    beside = "mul.f32 %f5, %f2, %f2; mul.f32 %f6, %f5, %f2; add.f32 %f3, %f5, %f6;"
    text = mended_module(DECLARED + beside, DECLARED + beside.replace("%f2, %f2;", "%f2, %f2; mov.u32 %r8, %r9;"))
    told, judge, asked = told_of(
        text.replace("mov.u32 %r8", "$L7: mov.u32 %r8"), Cache(tmp_path), same=lambda _, n: n > 0
    )
    assert told is not None
    assert asked == [("_Z1kPff", 1), ("_Z1kPff", 3), ("_Z1kPff", 1)], "as is likely, each way by itself, what fits"
    (row,) = judge.rows
    assert "add.rn.f32" in row


def test_a_version_that_is_right_stays_beside_one_that_gets_others(tmp_path: Path) -> None:
    other = Emitted("k", "other", ("other",))
    text = MET_TEXT + entry("_Z15k__gpuopt_otherN4planEPff", DECLARED + MET, 1)
    told, judge, _ = told_of(text, Cache(tmp_path), other, same=always)
    assert told is not None
    assert (judge.refused, names(f"{told}.\n")) == ({}, ["_Z14k__gpuopt_mineN4planEPff"])


def test_what_ptxas_does_otherwise_is_not_taken_for_known(tmp_path: Path) -> None:
    told, judge, _ = told_of(MET_TEXT, Cache(tmp_path), same=never)
    assert (told, judge.has_stopped, list(judge.refused)) == (None, True, [("k", "mine")])


def test_what_ptxas_does_otherwise_in_one_kernel_is_no_matter_in_another(tmp_path: Path) -> None:
    other = Emitted("kk", "mine", ("mine",), frozenset(), ("x", "alpha"))
    second = entry("_Z2kkPff", DECLARED + MET) + entry("_Z15kk__gpuopt_mineN4planEPff", DECLARED + FUSED, 1)

    told, judge, asked = told_of(MET_TEXT + second, Cache(tmp_path), other, same=lambda name, _: name == "_Z1kPff")
    assert told is not None
    assert (list(judge.refused), judge.has_stopped) == ([("kk", "mine")], False)
    assert sorted(row.split()[1:3] for row in judge.rows) == [
        ["_Z14k__gpuopt_mineN4planEPff", "="],
        ["_Z15kk__gpuopt_mineN4planEPff", "-"],
    ]
    assert asked == [("_Z1kPff", 1), ("_Z2kkPff", 1)], "a sum that has one way alone is not asked about again"


def test_other_users_are_told_nothing(judge: Judge, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging.os, "geteuid", lambda: 12345)
    assert ask(module(ALIKE, ALIKE)) == ""
    assert not judge.was_asked()


def test_what_goes_wrong_ends_the_build_and_is_told(judge: Judge, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuopt_driver.ptx.check.judged", lambda *_: 1 // 0)
    assert ask(module(ALIKE, ALIKE)) == ""
    assert judge.ended_it
    with pytest.raises(ZeroDivisionError):
        judge.was_asked()


def test_findings_of_versions_without_a_body_are_declined() -> None:
    """Where a plugin has others of a kernel, what it said holds for these."""
    said = [Finding(name, "k", Decision.APPLIED, "A001", "said", "a.cu", 1) for name in ("one", "two", "three")]
    report = UnitReport("a.cu", "h200", "nvcc", findings=tuple(said))
    places = {"mine": (0,), "yours": (1,), "yours2": (1,), "joined": ()}
    emitted = tuple(Emitted("k", name, (name,), findings=found) for name, found in places.items())
    refused = {("k", name): ("GPUOPT020", f"{name} is wrong") for name in ("mine", "yours", "joined")}
    after = Patches({"a.cu": b""}, reports=(report,), emitted=emitted).withdrawn(refused, ("row",))
    assert [(one.decision, one.message) for one in after.reports[0].findings] == [
        (Decision.DECLINED, "mine is wrong"),
        (Decision.APPLIED, "said"),
        (Decision.APPLIED, "said"),
    ]
    assert after.emptied == ("row",)


@pytest.fixture
def reads(tmp_path: Path, host_compiler: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """What a program of some name gets of a PTX file, with the library inside of it."""
    library = common_library(host_compiler)
    (tmp_path / "reader.c").write_text(READER)
    words = [host_compiler, "-x", "c", str(tmp_path / "reader.c"), "-o", str(tmp_path / "ptxas")]
    subprocess.run(words, check=True, timeout=60)
    for name in ("fatbinary", "other"):
        shutil.copy2(tmp_path / "ptxas", tmp_path / name)

    def read(name: str, text: str, **env: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "a.ptx").write_text(text)
        words = [str(tmp_path / name), str(tmp_path / "a.ptx")]
        surroundings = {**os.environ, "LD_PRELOAD": str(library), **env}
        return subprocess.run(words, env=surroundings, capture_output=True, text=True, check=False, timeout=60)

    return read


@pytest.mark.compiler
def test_the_library_gives_them_no_body(
    judge: Judge, ask: Ask, tmp_path: Path, reads: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    text = module(OTHER, ALIKE).replace(")\n{", ")\n.maxntid 256, 1, 1\n{")
    (tmp_path / "list").write_text(ask(text).removesuffix(".\n"))
    head = "k__gpuopt_mineN4planEPff(\n)\n"
    for name in ("ptxas", "fatbinary"):
        made = reads(name, text, GPUOPT_PTX_MAP=str(tmp_path / "list")).stdout
        assert f"{head}.maxntid 1, 1, 1\n{{\n\tret;\n}}\n" in made
        assert made.count(".maxntid 256, 1, 1") == 2
        assert made.count("fma.rn") == 2
    assert reads("other", text, GPUOPT_PTX_MAP=str(tmp_path / "list")).stdout == text
    changed = reads("ptxas", text.replace("%f4, %f1, %f2", "%f4, %f2, %f1"), GPUOPT_PTX_MAP=str(tmp_path / "list"))
    assert changed.returncode == 1
    assert "other instructions than those that were refused" in changed.stderr


@pytest.mark.compiler
def test_the_library_gives_them_other_instructions(
    tmp_path: Path, reads: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    told, _, _ = told_of(MET_TEXT, Cache(tmp_path), same=always)
    assert told is not None
    (tmp_path / "list").write_text(told)
    for name in ("ptxas", "fatbinary"):
        made = reads(name, MET_TEXT, GPUOPT_PTX_MAP=str(tmp_path / "list")).stdout
        assert (made.count("add.rn.f32"), made.count("add.f32"), made.count("\n}\n")) == (1, 1, MET_TEXT.count("\n}\n"))
    Path(told.split()[4]).unlink()
    lost = reads("ptxas", MET_TEXT, GPUOPT_PTX_MAP=str(tmp_path / "list"))
    assert (lost.returncode, "not there any more" in lost.stderr) == (1, True)


@pytest.mark.compiler
@pytest.mark.parametrize("is_refused", [False, True])
def test_bodies_end_where_their_braces_do(
    tmp_path: Path, reads: Callable[..., subprocess.CompletedProcess[str]], is_refused: bool
) -> None:
    """Inline assembly, as cuda_fp16.h has it, brings braces of its own; comments may have any."""
    assembly = "// begin inline asm {\n{ add.f16 %rs1, %rs2, %rs3;\n}\n// end inline asm\n"
    more = entry("_Z15k__gpuopt_otherN4planEPff", DECLARED + MET + assembly, 1)
    text = mended_module(DECLARED + MET + assembly, DECLARED + FUSED + assembly) + more
    told, judge, _ = told_of(
        text, Cache(tmp_path), Emitted("k", "other", ("other",)), same=never if is_refused else always
    )
    assert told is not None
    assert list(judge.refused) == ([("k", "mine")] if is_refused else [])
    (tmp_path / "list").write_text(told)
    made = reads("ptxas", text, GPUOPT_PTX_MAP=str(tmp_path / "list")).stdout
    assert made.count("add.f16") == (2 if is_refused else 3)
    assert made.count("add.rn.f32") == (not is_refused)
    assert made.endswith(more)
    assert made.count(".entry") == text.count(".entry") == 3


@pytest.mark.compiler
def test_the_library_asks(judge: Judge, tmp_path: Path, reads: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    env = {"GPUOPT_PTX_KEEP": str(tmp_path / "kept"), "GPUOPT_PTX_ASK": judge.name}
    answering = threading.Thread(target=lambda: (judge.answer(), judge.answer()), daemon=True)
    answering.start()
    made = reads("ptxas", module(OTHER, ALIKE), **env)
    assert (made.returncode, made.stdout.count("fma.rn"), made.stdout.count("\tret;")) == (0, 2, 3)
    ended = reads("ptxas", module(OTHER, OTHER), **env)
    answering.join()
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "must not be used" in ended.stderr
    judge.close()
    assert reads("ptxas", module(OTHER, ALIKE), **env).returncode == 1, "nobody is there"
    assert reads("ptxas", entry("_Z1kPff", ALIKE), **env).returncode == 0, "it has no versions"
