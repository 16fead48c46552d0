"""Remembered outcomes: used while nothing that the analysis saw has changed, and never else."""

from __future__ import annotations

import json
import marshal
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuopt_driver import memo, store
from gpuopt_driver.memo import KIND
from gpuopt_driver.remember import asked_for
from tests.driver.support import ROOT, program, run

# A plugin that says how often it was asked, by way of a file that Python does not see it write.
PLUGIN = """
import os
from gpuopt_driver.api import Decision, Finding, PluginInfo, Proposal, hookimpl, Edit
MARK = "{mark}"

@hookimpl
def gpuopt_describe():
    return PluginInfo(name="probe", summary="counts", codes={{"PROBE001": "counted"}})

@hookimpl
def gpuopt_propose(kernel, context, facts):
    word = os.environ.get("PROBE_WORD", "none")
    extra = open(os.environ["PROBE_FILE"]).read() if "PROBE_FILE" in os.environ else ""
    if "PROBE_GRAPH" in os.environ:
        import networkx  # goes through all variables for its own
    print(word, extra) if os.environ.get("PROBE_PRINTS") else None
    message = f"{{word}} {{extra}} {{MARK}}"
    span = kernel.name_span
    return Proposal(findings=(Finding("probe", kernel.qualified, Decision.DECLINED, "PROBE001", message,
        span.file, span.line, span.column),))
"""
KERNEL = """\
#include "k.h"
#ifdef FAST
#include <fast.h>
#include <deep/fast.h>
#endif
__global__ void k(float *a) { a[threadIdx.x] *= TWO; }
"""
ASK = """
import sys
from gpuopt_driver.nvcc_main import main
sys.argv[0] = "gpuopt-nvcc"
sys.exit(main())
"""


class Project:
    """A source with headers, an installed plugin, and a compiler that only tells its arguments."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.site = root / "site"
        for name in ("first", "second", "src", "site/probe-1.0.dist-info", "site/__pycache__"):
            (root / name).mkdir(parents=True)
        self.write("src/a.cu", KERNEL)
        self.write("second/k.h", "#define TWO 2\n")
        self.write("site/probe_plugin.py", PLUGIN.format(mark="one"))
        self.write("site/probe-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n")
        self.write("site/probe-1.0.dist-info/entry_points.txt", "[gpuopt.plugins]\nprobe = probe_plugin\n")
        self.nvcc = program(root / "toolkit/bin/nvcc", 'echo "$@"')
        monkeypatch.setenv("GPUOPT_CACHE_DIR", str(root / "cache"))
        monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{self.site}")
        monkeypatch.setenv("GPUOPT_NVCC", self.nvcc)
        monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(exist_ok=True, parents=True)
        (self.root / name).write_text(text)

    def entries(self) -> dict[Path, int]:
        """When each remembered outcome was written or used."""
        return {path: path.stat().st_ino for path in (self.root / "cache" / KIND).glob("*/*")}

    def compile(self, *extra: str, **env: str) -> tuple[bytes, bytes, int]:
        import sys  # noqa: PLC0415

        time.sleep(0.03)  # what has just been written may change without showing it, and is not relied on
        argv = ["-c", "src/a.cu", "-I", "first", "-Isecond", "-o", "a.o", *extra]
        done = run([sys.executable, "-P", "-c", ASK, *argv], self.root, {**os.environ, **env})
        return done.stdout, done.stderr, done.returncode

    def is_repeated(self, *extra: str, **env: str) -> bool:
        """Whether a compilation uses what is remembered: nothing is written anew."""
        before = self.entries()
        self.compile(*extra, **env)
        return bool(before) and self.entries() == before


class Runs:
    """What runs a program when it is read by pickle."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch '{self.mark}'",)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(tmp_path, monkeypatch)


def test_the_second_run_says_and_does_the_same(project: Project) -> None:
    project.write("toolchain.toml", "[driver]\nverbose = true\n")
    project.compile()  # where Python has its own caches to write, that run is not kept
    first = project.compile()
    assert b"none  one" in first[1]
    assert project.is_repeated()
    assert project.compile() == first
    assert first[0] == b"-c src/a.cu -I first -Isecond -o a.o\n"


def test_reports_of_a_repeated_run_are_the_same_bytes(project: Project) -> None:
    project.compile("--gpuopt-report=r.json")
    project.compile("--gpuopt-report=r.json")
    first = (project.root / "r.json").read_bytes()
    (project.root / "r.json").unlink()
    assert project.is_repeated("--gpuopt-report=r.json")
    assert (project.root / "r.json").read_bytes() == first
    assert json.loads(first)["units"]


def test_a_policy_with_tables_for_kernels_is_remembered_with_what_they_match(project: Project) -> None:
    tables = '[[kernel]]\nname = "{}"\nplugins.probe.enabled = true\n'
    project.write("toolchain.toml", tables.format("k") + tables.format("no_such"))
    project.compile("--gpuopt-report=r.json")
    project.compile("--gpuopt-report=r.json")
    assert project.is_repeated("--gpuopt-report=r.json")
    (unit,) = json.loads((project.root / "r.json").read_bytes())["units"]
    assert [(rule["line"], rule["kernels"]) for rule in unit["rules"]] == [(1, 1), (4, 0)]


CHANGES: dict[str, Callable[[Project], object]] = {
    "the source": lambda p: p.write("src/a.cu", KERNEL + "\n"),
    "a header": lambda p: p.write("second/k.h", "#define TWO 3\n"),
    "a header before the one found": lambda p: p.write("first/k.h", "#define TWO 4\n"),
    "a header beside the source": lambda p: p.write("src/k.h", "#define TWO 5\n"),
    "a header that nobody reads yet": lambda p: p.write("second/fast.h", ""),
    "a header in a directory that is not there yet": lambda p: p.write("first/deep/fast.h", ""),
    "the policy": lambda p: p.write("toolchain.toml", "[plugins.probe]\nenabled = false\n"),
    "the policy of the source": lambda p: p.write("src/toolchain.toml", "[driver]\nverbose = true\n"),
    "a plugin's code": lambda p: p.write("site/probe_plugin.py", PLUGIN.format(mark="three")),
    "a plugin's version": lambda p: (p.site / "probe-1.0.dist-info").rename(p.site / "probe-2.0.dist-info"),
    "another distribution": lambda p: p.write("site/other-1.0.dist-info/METADATA", "Name: other\nVersion: 1\n"),
    "the compiler": lambda p: program(Path(p.nvcc), 'echo new "$@"'),
    "a damaged entry": lambda p: [path.write_bytes(path.read_bytes()[:-1]) for path in p.entries()],
    "an entry of garbage": lambda p: [path.write_bytes(os.urandom(500)) for path in p.entries()],
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_noticed(project: Project, change: str) -> None:
    project.compile()
    CHANGES[change](project)
    before = project.entries()
    out, _, status = project.compile()
    assert project.entries() != before
    assert status == 0
    assert out.endswith(b"-c src/a.cu -I first -Isecond -o a.o\n")
    assert project.is_repeated()


def test_many_headers_in_many_directories_are_remembered(project: Project) -> None:
    """What is not there is told by the directories that are not there: 30 times 900 files were too many."""
    project.write(
        "second/k.h", "#define TWO 2\n#if 0\n" + "".join(f"#include <lib/x{n}.h>\n" for n in range(900)) + "#endif\n"
    )
    options = [f"-Idirectory{number}" for number in range(30)]
    for number in range(30):
        (project.root / f"directory{number}").mkdir()
    project.compile(*options)
    assert project.is_repeated(*options)
    project.write("directory7/lib/x8.h", "")
    assert not project.is_repeated(*options)


def test_variables_and_files_that_a_plugin_looks_at_count(project: Project) -> None:
    project.write("toolchain.toml", "[driver]\nverbose = true\n")
    project.write("note.txt", "hello")
    file = str(project.root / "note.txt")
    assert b"none hello" in project.compile(PROBE_FILE=file)[1]
    assert project.is_repeated(PROBE_FILE=file)
    assert project.is_repeated(PROBE_FILE=file, SOMETHING_ELSE="1")
    assert b"some hello" in project.compile(PROBE_FILE=file, PROBE_WORD="some")[1]
    project.write("note.txt", "good bye")
    assert b"some good bye" in project.compile(PROBE_FILE=file, PROBE_WORD="some")[1]


def test_a_graph_library_and_headers_behind_a_link_are_remembered(project: Project) -> None:
    """With `lib` a link to `real/lib`, `lib/../include` is `real/include`, and there is no `include`."""
    for name in ("real/lib", "real/include"):
        (project.root / name).mkdir(parents=True)
    project.write("real/include/fast.h", "")
    (project.root / "lib").symlink_to("real/lib")
    options = ("-DFAST", "-Ilib/../include")
    graph = {"PROBE_GRAPH": "1", "SOMETHING": "1"}
    project.compile(*options, **graph)
    project.compile(*options, **graph)
    assert project.is_repeated(*options, **graph)
    assert project.is_repeated(*options, **{**graph, "SOMETHING": "2"})
    assert not project.is_repeated(*options, **graph, NETWORKX_BACKEND_PRIORITY="")
    project.write("real/include/fast.h", "#define FAST 2\n")
    assert not project.is_repeated(*options, **graph)


def test_what_prints_or_is_looked_into_is_not_remembered(project: Project) -> None:
    for _ in range(2):
        assert b"plugin probe printed something (none)" in project.compile(PROBE_PRINTS="1")[1]
    project.compile(GPUOPT_DEBUG="1")
    assert project.entries() == {}


def test_a_touched_source_is_the_same_source(project: Project) -> None:
    project.compile()
    for name in ("src/a.cu", "second/k.h"):
        os.utime(project.root / name)
    assert project.is_repeated()


def test_another_command_line_or_directory_is_another_outcome(project: Project) -> None:
    project.compile()
    assert not project.is_repeated("-DFAST")
    assert not project.is_repeated("-Xptxas=-v")
    assert project.is_repeated()


@pytest.mark.parametrize("report", [(), ("--gpuopt-report=r.json",)], ids=["simple", "whole"])
def test_a_forged_entry_runs_nothing(project: Project, report: tuple[str, ...]) -> None:
    """With a right digest, and circumstances that hold: another nvcc, other arguments, code in place of patches."""
    project.compile(*report)
    first = project.compile(*report)
    mark = project.root / "ran"
    evil = program(project.root / "evil/nvcc", f"touch {mark}")
    code = pickle.dumps(Runs(mark))
    (path,) = project.entries()
    under, known = memo._decoded(path.read_bytes()[store.DIGEST :])
    assert known.simple == (not report)
    plain = tuple(getattr(under, name) for name in ("contents", "stated", "listed", "absent", "looked_up"))
    simple = memo.SIMPLE * (not report)
    old = marshal.dumps((plain, (evil, (evil, "policy"), ("-ccbin", evil), b"", code, simple)))
    forged = [old, code]
    forged += [memo._encoded(under, memo.Remembered(name, b"", code, simple)) for name in (evil, known.nvcc)]
    for value in forged:
        path.write_bytes(store.sealed(KIND, path.parent.name + path.name, value))
        assert project.compile(*report) == first
    assert not mark.exists()


def test_the_nvcc_of_a_policy_is_read_in_each_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered says nothing of it."""
    other = program(project.root / "other/nvcc", "echo other")
    project.write("toolchain.toml", f'[driver]\nnvcc = "{other}"\n')
    monkeypatch.delenv("GPUOPT_NVCC")
    for _ in range(3):
        assert project.compile()[0] == b"other\n"
    assert project.is_repeated()


def test_an_option_in_two_words_is_repeated_too(project: Project) -> None:
    for _ in range(3):
        assert project.compile("--gpuopt-gpu", "h200")[0] == b"-c src/a.cu -I first -Isecond -o a.o\n"
    assert project.is_repeated("--gpuopt-gpu", "h200")


def test_names_that_a_text_asks_for() -> None:
    text = (
        b'#include "a.h"\n # /* x */ include <b/c.h> // d.h\n#include MACRO\n#if __has_include("e.h") || '
        b'__has_include(<f.h>)\n#include_next <g.h>\n#\\\ninclude "h.h"\ninclude "i.h"\n%:import <j.h>\n'
    )
    assert list(asked_for(text)) == [
        ('"', "a.h"),
        ("<", "b/c.h"),
        ("", ""),
        ('"', "e.h"),
        ("<", "f.h"),
        ("<", "g.h"),
        ('"', "h.h"),
        ("<", "j.h"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'# /* one\ntwo */ include <a.h>\n#include "b.h"\n', ["a.h", "b.h"]),
        (b'#import "a.h"\n#include "b.h"\n#import <c.h>\n', ["a.h", "b.h", "c.h"]),
        (b"#in\\\r\nclude <a.h>\n#\\\r\n  include\\\n <b.h>\n", ["b.h"]),
        (b'x__has_include("a.h") __has_includes("b.h") __has_include_next /* c */ ( <d.h> )', ["d.h"]),
        (b'#includes "a.h"\n#define include "b.h"\n// see #include "c.h"\n#include', ["c.h", ""]),
        (b"??=include <a.h>\n/* */ #include <b.h>\n", ["a.h", "b.h"]),
    ],
)
def test_directives_over_several_lines_and_words_that_are_none(text: bytes, expected: list[str]) -> None:
    assert [name for _, name in asked_for(text)] == expected
