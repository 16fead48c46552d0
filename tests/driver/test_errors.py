"""What can be wrong around a build: one clear line each, and the build goes on unless only the user can help."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuopt_driver import driver, nvcc_main
from gpuopt_driver.nvcc import find
from gpuopt_driver.nvcc_main import passes_straight
from gpuopt_driver.policy.load import default_text
from tests.driver.support import ROOT, gpuopt_nvcc, program, run

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"
PATCH = {"replace": [("a.cu", "*= 2", "*= 3")]}
CRASH = {"raise": "the optimizer was called"}


# How nvcc answers when it is asked about itself, and when it is tried out.
ABOUT = """case "$*" in
  --version | "--dryrun -c x.cu") exit 0;;
  *"-E probe.cu") exec g++ -E -x c++ probe.cu;;
esac"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.cu").write_text(KERNEL)
    return tmp_path


@pytest.fixture
def fake(project: Path) -> dict[str, str]:
    """An nvcc that says how it was called, and `built` with it."""
    text = f'{ABOUT}\necho "nvcc $*"; echo >> built'
    return {"GPUOPT_NVCC": program(project / "toolkit" / "nvcc", text)}


def one_line(stderr: bytes) -> str:
    lines = stderr.decode().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_a_missing_source_is_nvccs_to_report(project: Path, fake: dict[str, str]) -> None:
    done = gpuopt_nvcc("-c", "a.cu", "nope.cu", cwd=project, optimizer=CRASH, env=fake)
    assert (done.stdout, done.stderr) == (b"nvcc -c a.cu nope.cu\n", b"")


def test_a_source_without_kernels_is_not_parsed(project: Path, fake: dict[str, str]) -> None:
    (project / "host.cu").write_text("int main() { return 0; }\n")
    report = project / "r.json"
    for flags in ([f"--gpuopt-report={report}"], []):
        done = gpuopt_nvcc("-c", "host.cu", *flags, cwd=project, optimizer=CRASH, env=fake)
        assert (done.stdout, done.stderr) == (b"nvcc -c host.cu\n", b"")
    assert [unit["source"] for unit in json.loads(report.read_text())["units"]] == [str(project / "host.cu")]


@pytest.mark.parametrize("argv", [["-M", "a.cu"], ["--clean-targets", "-c", "a.cu"], ["--help", "a.cu"], ["a.o"]])
def test_what_compiles_no_kernel_is_left_alone(project: Path, fake: dict[str, str], argv: list[str]) -> None:
    done = gpuopt_nvcc(*argv, cwd=project, optimizer=CRASH, env=fake)
    assert (done.stdout.decode(), done.stderr) == (f"nvcc {' '.join(argv)}\n", b"")


@pytest.mark.parametrize("how", ["flag", "environment"])
def test_switched_off(project: Path, fake: dict[str, str], how: str) -> None:
    flags, env = (["--gpuopt-off"], {}) if how == "flag" else ([], {"GPUOPT_OFF": "1"})
    done = gpuopt_nvcc("-c", *flags, "a.cu", cwd=project, optimizer=CRASH, env={**fake, **env})
    assert (done.stdout, done.stderr) == (b"nvcc -c a.cu\n", b"")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[driver]\nbackend = 3\n", ["toolchain.toml:2", "backend"]),
        ("[driver]\nbakend = 'auto'\n", ["toolchain.toml:2", "backend"]),
        ("[driver\n", ["toolchain.toml:1"]),
        ("[gpu]\nname = 'h2000'\n", ["toolchain.toml:2", "h200"]),
    ],
)
def test_a_wrong_policy_is_an_error_and_nothing_is_built(
    project: Path, fake: dict[str, str], text: str, words: list[str]
) -> None:
    (project / "toolchain.toml").write_text(text)
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=PATCH, env=fake)
    assert done.returncode != 0
    assert done.stdout == b""
    line = one_line(done.stderr)
    assert line.startswith("gpuopt: error: ")
    assert all(word in line for word in words), line
    assert not (project / "built").exists()


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
@pytest.mark.parametrize("argv", [["-c", "a.cu"], ["a.o", "-o", "app"], ["--version"]])
def test_what_is_no_policy_file_is_not_waited_for(
    project: Path, fake: dict[str, str], make: Callable[[Path], None], argv: list[str]
) -> None:
    make(project / "toolchain.toml")
    done = gpuopt_nvcc(*argv, cwd=project, optimizer=PATCH, env=fake)
    assert done.returncode == 1
    assert one_line(done.stderr).startswith("gpuopt: error: toolchain.toml: cannot read policy: a ")
    assert not (project / "built").exists()


def test_a_policy_that_anybody_can_write_is_left_aside(project: Path, fake: dict[str, str]) -> None:
    (project / "toolchain.toml").symlink_to("/dev/zero")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=PATCH, env=fake)
    assert done.returncode == 0
    assert b"toolchain.toml: not used as a policy: /dev/zero can be written to by all users" in done.stderr


def test_what_nobody_has_foreseen_costs_a_warning(project: Path, fake: dict[str, str]) -> None:
    """An error of ours outside of the analysis: nvcc builds, without a traceback of ours."""
    code = (
        "import sys; import gpuopt_driver.driver as driver\n"
        "def broken(*_): raise ZeroDivisionError('a\\nb\\x1b')\n"
        "driver.parse_command = broken\n"
        "from gpuopt_driver.nvcc_main import main\n"
        "sys.exit(main())\n"
    )
    env = {**os.environ, **fake, "PYTHONPATH": str(ROOT)}
    said = "internal error, please report it: ZeroDivisionError: a b\\x1b"
    done = run([sys.executable, "-c", code, "-c", "a.cu", "--gpuopt-gpu=h200"], project, env)
    assert (done.returncode, done.stdout) == (0, b"nvcc -c a.cu\n")
    told = f"gpuopt: warning: {said}; compiled without patches (GPUOPT_DEBUG=1 shows where)\n"
    assert done.stderr.decode() == told
    done = run([sys.executable, "-c", code, "-c", "a.cu", "--gpuopt-backend=emulator"], project, env)
    assert done.returncode == 70
    assert done.stderr.decode() == f"gpuopt: error: {said}; GPUOPT_DEBUG=1 shows where\n"


@pytest.mark.parametrize(
    "flag", ["--gpuopt-policy=nope.toml", "--gpuopt-gpu=nope", "--gpuopt-backend=nope", "--gpuopt-x"]
)
def test_a_wrong_flag_is_an_error_and_nothing_is_built(project: Path, fake: dict[str, str], flag: str) -> None:
    done = gpuopt_nvcc("-c", "a.cu", flag, cwd=project, optimizer=PATCH, env=fake)
    assert done.returncode != 0
    assert one_line(done.stderr).startswith("gpuopt: error: ")
    assert not (project / "built").exists()


def test_no_nvcc_at_all(project: Path) -> None:
    """Asked for nvcc on a machine without: one line that says where it was looked for and what to do."""
    env = {"GPUOPT_NVCC": "/nowhere/nvcc", "PATH": str(project)}
    named = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=PATCH, env=env)
    assert named.returncode == 1
    assert one_line(named.stderr).startswith("gpuopt: error: GPUOPT_NVCC: /nowhere/nvcc: no such program")


def test_no_nvcc_found(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(driver, "find_nvcc", lambda *_: None)
    monkeypatch.setattr(find, "find_nvcc", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["gpuopt-nvcc", "--gpuopt-backend=nvcc", "-c", "a.cu"])
    monkeypatch.chdir(project)
    assert nvcc_main.main() == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "no nvcc in PATH" in captured.err
    assert "--gpuopt-backend=emulator" in captured.err


def test_a_loop_back_to_us_is_left_by_the_next_nvcc(project: Path, tmp_path: Path) -> None:
    """An sh wrapper called nvcc that starts us without saying so."""
    program(tmp_path / "first" / "nvcc", f'exec "{sys.executable}" -m "$TEST_MODULE" "$@"')
    program(tmp_path / "second" / "nvcc", 'echo "second $*"')
    path = os.pathsep.join([str(tmp_path / "first"), str(tmp_path / "second"), os.environ["PATH"]])
    env = {"PATH": path, "TEST_MODULE": "gpuopt_driver.nvcc_main", "GPUOPT_NVCC": None}
    done = gpuopt_nvcc("-c", "x.o", cwd=project, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"second -c x.o\n", b"")


def test_an_overlay_that_cannot_work_is_one_warning_and_in_the_report(
    project: Path, host_compiler: str, tmp_path: Path
) -> None:
    report = project / "r.json"
    deaf = program(tmp_path / "deaf" / "nvcc", f'unset LD_PRELOAD\n{ABOUT}\necho "nvcc $*"')
    env = {"GPUOPT_NVCC": deaf, "GPUOPT_OVERLAY": "preload"}
    done = gpuopt_nvcc("-c", "a.cu", f"--gpuopt-report={report}", cwd=project, optimizer=PATCH, env=env)
    assert (done.returncode, done.stdout) == (0, b"nvcc -c a.cu\n")
    line = one_line(done.stderr)
    assert line.startswith("gpuopt: warning: ")
    assert line.endswith("; compiled without patches")
    (unit,) = json.loads(report.read_text())["units"]
    assert [decision["decision"] for decision in unit["decisions"]] == ["declined"]
    assert unit["patched_files"] == []
    assert "does not see patched files" in unit["problems"][0]["message"]


def test_a_source_that_changes_while_we_look_at_it(project: Path, fake: dict[str, str], host_compiler: str) -> None:
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer={**PATCH, "touch": ["a.cu"]}, env=fake)
    assert (done.returncode, done.stdout) == (0, b"nvcc -c a.cu\n")
    assert "changed while it was being analysed" in one_line(done.stderr)


def test_standard_input_that_is_named_twice_is_compiled_as_it_is(project: Path, fake: dict[str, str]) -> None:
    report = project / "r.json"
    argv = ["-x", "cu", "-c", "-", "-"]
    done = gpuopt_nvcc(
        *argv, f"--gpuopt-report={report}", cwd=project, optimizer=CRASH, env=fake, stdin=KERNEL.encode()
    )
    assert (done.stdout.decode(), done.stderr) == (f"nvcc {' '.join(argv)}\n", b"")
    unit, _ = json.loads(report.read_text())["units"]
    assert "standard input" in unit["problems"][0]["message"]


def test_a_pipe_is_not_read(project: Path, fake: dict[str, str]) -> None:
    """Looking into it would take from nvcc what it has to compile."""
    os.mkfifo(project / "pipe.cu")
    for argv in (["-c", "pipe.cu"], ["-c", "-x", "cu", "pipe.cu"]):
        done = gpuopt_nvcc(*argv, cwd=project, optimizer=CRASH, env=fake)
        assert (done.stdout.decode(), done.stderr) == (f"nvcc {' '.join(argv)}\n", b"")


def test_a_name_that_is_not_utf8(project: Path, fake: dict[str, str], host_compiler: str) -> None:
    name = "k \udcff.cu"
    (project / name).write_text(KERNEL)
    report = project / "r.json"
    patch = {"replace": [(name, "*= 2", "*= 3")]}
    done = gpuopt_nvcc("-c", name, f"--gpuopt-report={report}", cwd=project, optimizer=patch, env=fake)
    assert (os.fsdecode(done.stdout), done.stderr) == (f"nvcc -c {name}\n", b"")
    assert json.loads(report.read_text())["units"][0]["source"] == str(project / name)


def test_a_report_that_cannot_be_written_is_a_warning(project: Path, fake: dict[str, str]) -> None:
    (project / "file").write_text("")
    done = gpuopt_nvcc("-c", "a.cu", "--gpuopt-report=file/r.json", cwd=project, optimizer={}, env=fake)
    assert (done.returncode, done.stdout) == (0, b"nvcc -c a.cu\n")
    assert one_line(done.stderr).startswith("gpuopt: warning: ")


def test_decisions_are_told_where_the_policy_asks_for_them(project: Path, fake: dict[str, str]) -> None:
    (project / "toolchain.toml").write_text("[driver]\nverbose = true\n")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer={}, env=fake)
    assert done.stdout == b"nvcc -c a.cu\n"
    assert done.stderr == b"gpuopt: a.cu:1:1: note: did it [TEST001]\n"


@pytest.mark.parametrize(
    ("argv", "env", "straight"),
    [
        (["--version"], {}, True),
        (["-c", "a.cpp"], {}, True),
        (["a.o", "-o", "app"], {}, True),
        (["-c", "a.cu"], {}, False),
        (["-c", "b.cu"], {}, True),
        (["-c", "a.cu", "--gpuopt-off"], {}, True),
        (["-c", "a.cu"], {"GPUOPT_OFF": "yes"}, True),
        (["-c", "a.cu"], {"GPUOPT_OFF": "0"}, False),
        (["--version", "a.cu"], {}, True),
        (["-x", "cu", "a.cpp", "-c"], {}, False),
        (["-x=cu", "a.cpp", "-c"], {}, False),
        (["-optf", "args"], {}, False),
        (["--options-file=args"], {}, False),
        (["-c", "b.o"], {"NVCC_APPEND_FLAGS": "a.cu"}, False),
        (["a.o"], {"GPUOPT_BACKEND": "emulator"}, False),
        (["a.o", "--gpuopt-backend=emulator"], {}, False),
        (["a.o"], {"GPUOPT_BACKEND": "auto"}, True),
        (["a.o"], {"GPUOPT_POLICY": "p.toml"}, False),
    ],
)
def test_what_goes_straight_to_nvcc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], env: dict[str, str], straight: bool
) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "b.cu").write_text("int x;\n")
    monkeypatch.chdir(tmp_path)
    assert passes_straight(argv, env) is straight


@pytest.mark.parametrize(
    ("text", "straight"),
    [
        ("", True),
        ("[driver]\nbackend = 'auto'\nnvcc = ''\n", True),
        ("[driver]\n# backend = 'emulator'\nverbose = true\n", True),
        ("[driver]\nbackend = 'emulator'\n", False),
        ("driver.backend='emulator'", False),
        ("[driver]\nnvcc = '/opt/nvcc'\n", False),
    ],
)
def test_a_policy_may_steer_links_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, straight: bool
) -> None:
    (tmp_path / "toolchain.toml").write_text(text)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert passes_straight(["a.o", "-o", "app"], {}) is straight


def test_the_shipped_policy_lets_links_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toolchain.toml").write_text(default_text())
    monkeypatch.chdir(tmp_path)
    assert passes_straight(["a.o", "-o", "app"], {})


def test_the_straight_way_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import gpuopt_driver.nvcc_main as m, gpuopt_driver.nvcc.find as f\n"
        "m.passes_straight(['--version'], {}); m.passes_straight(['-c', 'b.cu'], {}); f.find_nvcc({})\n"
        "print(*sorted({'re', 'dataclasses', 'pathlib', 'typing', 'json', 'subprocess', 'clang'} & set(sys.modules)))\n"
    )
    (tmp_path / "b.cu").write_text("int x;\n")
    done = run([sys.executable, "-S", "-E", "-c", code, str(ROOT)], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"\n", b"")
