"""What the environment of a build may hold without changing it: Python's variables, closed streams, no directory."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.driver.support import program

SCRIPTS = Path(__file__).parents[2] / "scripts"
KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"
# Says what it was given, and fails in a directory that has no a.cu unless it is named absolutely.
NVCC = (
    'echo "LC_CTYPE=${LC_CTYPE-unset} PYTHONHOME=${PYTHONHOME-unset}"; for a; do [ -f "$a" ] && exit 0; done; exit 3\n'
)


@pytest.fixture
def gpuopt_nvcc(tmp_path: Path) -> str:
    """The installed program, for the Python that runs the tests."""
    place = tmp_path / "bin"
    place.mkdir()
    for name in ("gpuopt-nvcc", "gpuopt-nvcc-python"):
        text = (SCRIPTS / name).read_text().replace("#!python\n", f"#!{sys.executable}\n")
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    (tmp_path / "a.cu").write_text(KERNEL)
    program(tmp_path / "toolkit" / "bin" / "nvcc", NVCC)
    (tmp_path / "toolkit" / "bin" / "nvcc.profile").touch()
    return str(place / "gpuopt-nvcc")


def run(tmp_path: Path, line: str, cwd: Path | None = None, **changes: str | None) -> tuple[int, str]:
    """Exit status and all output of a shell's line."""
    env = {**os.environ, "GPUOPT_NVCC": str(tmp_path / "toolkit/bin/nvcc"), "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    for name, value in changes.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=cwd or tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"PYTHONHOME": "/opt/other"},
        {"PYTHONPLATLIBDIR": "nowhere"},
        {"PYTHONINSPECT": "1"},
        {"PYTHONHASHSEED": "abc"},
        {"PYTHONVERBOSE": "1"},
        {"PYTHONPROFILEIMPORTTIME": "1"},
        {"PYTHONSTARTUP": "/nowhere"},
        {"PYTHONWARNINGS": "error"},
        {"PYTHONDEVMODE": "1"},
    ],
)
def test_pythons_variables_are_the_users(tmp_path: Path, gpuopt_nvcc: str, changes: dict[str, str]) -> None:
    home = changes.get("PYTHONHOME", "unset")
    expected = (0, f"LC_CTYPE=C.UTF-8 PYTHONHOME={home}\n")
    assert run(tmp_path, f"{gpuopt_nvcc} -c a.cu", LC_CTYPE="C.UTF-8", LC_ALL=None, **changes) == expected


@pytest.mark.parametrize("text", ["raise SystemExit(4)\n", "import os; os._exit(4)\n"])
def test_modules_of_the_user_are_not_ours(tmp_path: Path, gpuopt_nvcc: str, text: str) -> None:
    modules = tmp_path / "modules"
    modules.mkdir()
    for name in ("enum.py", "sitecustomize.py", "usercustomize.py", "signal.py"):
        (modules / name).write_text(text)
    assert run(tmp_path, f"{gpuopt_nvcc} -c a.cu", PYTHONPATH=str(modules))[0] == 0
    assert run(tmp_path, f"cd modules && {gpuopt_nvcc} -c {tmp_path}/a.cu")[0] == 0


@pytest.mark.parametrize("given", [None, "C", "POSIX", "C.UTF-8"])
def test_no_locale_stays_no_locale(tmp_path: Path, gpuopt_nvcc: str, given: str | None) -> None:
    status, text = run(tmp_path, f"{gpuopt_nvcc} -c a.cu", LC_ALL=None, LANG=None, LC_CTYPE=given, PYTHONHOME=None)
    assert (status, text) == (0, f"LC_CTYPE={given or 'unset'} PYTHONHOME=unset\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams(tmp_path: Path, gpuopt_nvcc: str, closed: str) -> None:
    status, text = run(tmp_path, f"{gpuopt_nvcc} -c a.cu {closed}")
    assert status == 0
    assert "Traceback" not in text


def test_a_directory_that_is_gone(tmp_path: Path, gpuopt_nvcc: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    status, text = run(tmp_path, f"rmdir {gone}; {gpuopt_nvcc} -c {shlex.quote(str(tmp_path / 'a.cu'))}", gone)
    assert status == 0
    assert "gpuopt" not in text
