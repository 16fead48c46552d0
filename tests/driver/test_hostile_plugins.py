"""Whatever a plugin does: it is named in one warning, it alone is left out, and nvcc builds what the others made.

Each kind of fault runs with `--every-kind`; without, one of each way in which plugins fail (`hostile.SAMPLE`).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from gpuopt_driver.frontend.model import ParseLevel
from gpuopt_driver.frontend.parse import parse_unit
from tests.driver import hostile
from tests.driver.support import ROOT, command_line, run
from tests.ours import switched_off

CALLS = [hostile.PROPOSE.format(body) for body in hostile.IN_A_HOOK.values()]
KINDS = {
    **dict(zip((f"import: {name}" for name in hostile.AT_IMPORT), hostile.AT_IMPORT.values(), strict=True)),
    **dict(zip((f"hook: {name}" for name in hostile.IN_A_HOOK), CALLS, strict=True)),
}
REAL = {
    "does not parse": hostile.PROPOSE.format("return swap(kernel, context, b'{', b'{ not_there();')"),
    "does not compile": hostile.PROPOSE.format("return swap(kernel, context, b'{', b'{ asm(\"no such thing;\");')"),
    "overlaps another's": hostile.PROPOSE.format(hostile.IN_A_HOOK["overlaps another's"]),
    "exits at import": "os._exit(0)",
    "exits in a hook": hostile.PROPOSE.format("os._exit(0)"),
}
TAIL = "\n__global__ void tail(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"


def some(kinds: Mapping[str, str]) -> list[ParameterSet]:
    """Each kind as a parameter; those that the sample does not have wait for `--every-kind`."""
    rare = pytest.mark.every_kind
    return [pytest.param(body, id=name, marks=() if name in hostile.SAMPLE else rare) for name, body in kinds.items()]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "example.h").write_bytes((ROOT / "examples/example.h").read_bytes())
    (tmp_path / "a.cu").write_text((ROOT / "examples/gesummv.cu").read_text() + TAIL)
    (tmp_path / "toolchain.toml").write_text(f"[driver]\nplugin_seconds = 1.0\n{switched_off('accumulators', 'catt')}")
    return tmp_path


def told(project: Path, body: str) -> tuple[list[str], set[tuple[str, str]]]:
    """The warnings of an analysis with a plugin of this body, and who changes which kernel."""
    hostile.install(project / "site", body)
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{project / 'site'}", "GPUOPT_NVCC": "none"}
    done = run([sys.executable, "-m", "gpuopt_driver", "explain", "a.cu", "--json"], project, env)
    said = re.sub(rb"^gpuopt: a\.cu: analysis \.\.\. \d+ s\n", b"", done.stderr, flags=re.MULTILINE)  # a slow machine
    assert (done.returncode, said) == (0, b"")
    (unit,) = json.loads(done.stdout)["units"]
    changed = {(item["plugin"], item["kernel"]) for item in unit["decisions"] if item["decision"] == "applied"}
    return [problem["message"] for problem in unit["problems"]], changed


def test_the_sample_names_kinds_that_there_are() -> None:
    assert set(KINDS) | {f"harmless: {name}" for name in hostile.HARMLESS} | set(REAL) >= hostile.SAMPLE


@pytest.mark.parametrize("body", some(KINDS))
def test_it_is_named_and_it_alone_is_left_out(project: Path, body: str) -> None:
    warnings, changed = told(project, body)
    assert len(warnings) == 1, warnings
    assert warnings[0].startswith("plugin evil")
    assert ("catt", "gesummv") in changed
    assert ("evil", "gesummv") not in changed


@pytest.mark.parametrize("body", some({f"harmless: {name}": body for name, body in hostile.HARMLESS.items()}))
def test_what_ends_with_the_plugin_s_process_costs_nothing(project: Path, body: str) -> None:
    warnings, changed = told(project, hostile.PROPOSE.format(body))
    assert warnings == []
    assert ("catt", "gesummv") in changed


def test_a_plugin_that_behaves_is_used(project: Path) -> None:
    warnings, changed = told(project, hostile.PROPOSE.format("return swap(kernel, context, b'n', b'n')"))
    assert warnings == []
    assert {("evil", "gesummv"), ("evil", "tail"), ("catt", "gesummv")} <= changed


def test_several_sources_are_warned_of_once(project: Path, real_nvcc: str) -> None:
    (project / "b.cu").write_text(TAIL)
    hostile.install(project / "site", "raise SystemExit")
    line, env = command_line("-arch=sm_90", "-std=c++14", "-c", "a.cu", "b.cu")
    env["PYTHONPATH"] = f"{ROOT}{os.pathsep}{project / 'site'}"
    done = run(line, project, {**env, "GPUOPT_NVCC": real_nvcc})
    assert done.returncode == 0
    said = "plugin evil: cannot be imported from evil-plugin 1.0: SystemExit; it is left out"
    assert done.stderr.decode() == f"gpuopt: a.cu: warning: {said}\n"


def _named_alike(path: Path) -> bytes:
    """An object without the names of nvcc's temporary files."""
    return re.sub(rb"tmpxft_[0-9a-f]+_[0-9a-f]+", b"tmpxft", path.read_bytes())


@pytest.mark.parametrize("body", some(REAL))
def test_the_object_is_the_one_without_it(project: Path, real_nvcc: str, body: str) -> None:
    hostile.install(project / "site", body)
    line, env = command_line("-arch=sm_90", "-std=c++14", "-c", "a.cu", "-o", "a.o")
    env |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{project / 'site'}", "GPUOPT_NVCC": real_nvcc}
    done = run(line, project, env)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"gpuopt: a.cu: warning: plugin evil")
    assert done.stderr.count(b"\n") == 1
    made = _named_alike(project / "a.o")
    (project / "site/evil_plugin-1.0.dist-info/entry_points.txt").write_text("")
    (project / "a.o").unlink()
    done = run(line, project, env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _named_alike(project / "a.o") == made


def test_a_version_that_does_not_compile_where_the_host_s_headers_are_needed(project: Path, real_nvcc: str) -> None:
    """The patched source is not parsed before nvcc gets it: that comes once it has been refused."""
    whole = "__global__ void bits(float *x) { x[threadIdx.x] = sizeof(std::ratio<1, 2>); }\n"
    launch = "void set(float *x) { bits<<<99, 64>>>(x); }\n"
    (project / "a.cu").write_text(f"#include <ratio>\n{(ROOT / 'examples/gesummv.cu').read_text()}{whole}{launch}")
    assert parse_unit(project / "a.cu").level is ParseLevel.HOST
    text = "context.unit.files[kernel.span.file].data.index(b'{', kernel.body.start)"
    edit = f"(lambda at: Edit(kernel.span.file, at, at + 1, b'{{ not_there();'))({text})"
    version = f"return Proposal((said(kernel),), (), (Variant(kernel.usr, 'worse', ({edit},), 'return true;'),))"
    hostile.install(project / "site", hostile.PROPOSE.format(f"if kernel.name == 'bits': {version}"))
    line, env = command_line("-arch=sm_90", "-std=c++14", "-c", "a.cu", "-o", "a.o")
    env |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{project / 'site'}", "GPUOPT_NVCC": real_nvcc}
    done = run(line, project, env)
    said = b"gpuopt: a.cu: warning: plugin evil: its changes of bits are left out: the patched source does not parse: "
    assert (done.returncode, done.stderr[: len(said)], done.stderr.count(b"\n")) == (0, said, 1)
    made = _named_alike(project / "a.o")
    assert b"gesummv__gpuopt_catt" in made
    (project / "site/evil_plugin-1.0.dist-info/entry_points.txt").write_text("")
    done = run(line, project, env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _named_alike(project / "a.o") == made
