"""`gpuopt toolkit DIR`: whole, repeatable, never over what is not ours, and gone when removed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.nvcc import shadow
from gpuopt_driver.nvcc.find import MARKER, REAL, is_ours
from tests.toolkit.support import gpuopt

# An nvcc that says where it is as nvcc does, by its argv[0].
FAKE = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
*--version*) echo 'Cuda compilation tools, release 12.4, V12.4.99' ;;
*) echo "#\\$ _HERE_=$here"; echo "#\\$ TOP=$here/.."; echo "ran: $*" ;;
esac >&2
"""


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A small toolkit."""
    root = tmp_path / "cuda"
    for name in ("bin/nvcc.profile", "bin/ptxas", "bin/crt/link.stub", "include/cuda_runtime.h", "lib/libcudart.so"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "nvvm").mkdir()
    (root / "bin" / "nvcc").write_text(FAKE)
    (root / "bin" / "nvcc").chmod(0o755)
    return root


def tree(root: Path) -> dict[str, str]:
    """What is in a directory, links not followed."""
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def make(real: Path, where: Path, *words: str, status: int = 0) -> str:
    return gpuopt("toolkit", *words, str(where), status=status, GPUOPT_NVCC=str(real / "bin" / "nvcc"))


def test_everything_but_nvcc_is_the_real_toolkit_s(real: Path, tmp_path: Path) -> None:
    where = tmp_path / "new folder" / "toolkit"
    facts = json.loads(make(real, where, "--json"))
    assert facts["directory"] == str(where)
    assert (facts["backend"], facts["version"], facts["changed"]) == ("nvcc", "12.4.99", True)
    assert facts["nvcc"] == str(real / "bin" / "nvcc")
    assert facts["environment"]["CUDA_HOME"] == str(where)
    for name in ("bin/ptxas", "bin/crt/link.stub", "include/cuda_runtime.h", "lib/libcudart.so", "lib64/libcudart.so"):
        assert (where / name).read_text() == name.replace("lib64", "lib")
    assert is_ours(str(where / "bin" / "nvcc"))
    assert not is_ours(str(where / "bin" / REAL))


def test_its_nvcc_is_ours_and_says_that_it_is_there(real: Path, tmp_path: Path) -> None:
    """Also where CUDA_HOME, PATH or a link lead to it: no loop, and no other nvcc."""
    where = tmp_path / "toolkit"
    make(real, where)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").symlink_to(where / "bin" / "nvcc")
    env = {**os.environ, "GPUOPT_DEBUG": "", "CUDA_HOME": str(where), "PATH": f"{where}/bin:{os.environ['PATH']}"}
    env.pop("GPUOPT_NVCC", None)
    for program in (where / "bin" / "nvcc", tmp_path / "bin" / "nvcc"):
        done = subprocess.run([program, "-c", "x.cpp"], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")
        assert f"_HERE_={where}/bin\n" in done.stderr
        assert "ran: -c x.cpp\n" in done.stderr
    named = {**env, "GPUOPT_NVCC": str(where / "bin" / "nvcc")}
    done = subprocess.run([where / "bin" / "nvcc", "--version"], env=named, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "leads back to gpuopt-nvcc" in done.stderr


def test_again_changes_nothing(real: Path, tmp_path: Path) -> None:
    where = tmp_path / "toolkit"
    assert ": made; " in make(real, where)
    before = tree(where)
    times = {path: path.lstat().st_mtime_ns for path in where.rglob("*")}
    assert "is up to date" in make(real, where)
    assert tree(where) == before
    assert {path: path.lstat().st_mtime_ns for path in where.rglob("*")} == times


def test_it_follows_the_real_toolkit(real: Path, tmp_path: Path) -> None:
    where = tmp_path / "toolkit"
    make(real, where)
    (where / "bin" / "nvcc").write_text("damaged")
    (real / "bin" / "ptxas").unlink()
    (real / "bin" / "nvdisasm").write_text("new")
    (where / "mine").write_text("kept")
    assert "brought up to date" in make(real, where)
    assert is_ours(str(where / "bin" / "nvcc"))
    assert not os.path.lexists(where / "bin" / "ptxas")
    assert (where / "bin" / "nvdisasm").read_text() == "new"
    assert (where / "mine").read_text() == "kept"


def test_another_backend_takes_its_place(real: Path, tmp_path: Path, host_compiler: str) -> None:
    where = tmp_path / "toolkit"
    make(real, where)
    make(real, where, "--backend=emulator")
    assert not os.path.lexists(where / "bin" / REAL)
    assert (where / "bin" / "nvlink").is_file()
    make(real, where)
    assert (where / "bin" / REAL).is_file()
    assert not os.path.lexists(where / "bin" / "nvlink")
    assert not os.path.lexists(where / "version.json")


@pytest.mark.parametrize("kind", ["file", "full", "link", "the toolkit", "in the toolkit"])
def test_what_is_not_ours_is_left_alone(real: Path, tmp_path: Path, kind: str) -> None:
    where = tmp_path / "there"
    if kind == "file":
        where.write_text("mine")
    elif kind == "full":
        where.mkdir()
        (where / "mine").write_text("mine")
    elif kind == "link":
        (tmp_path / "empty").mkdir()
        where.symlink_to(tmp_path / "empty")
    elif kind == "the toolkit":
        where = real
    else:
        where = real / "new"
    before = tree(tmp_path)
    message = make(real, where, status=1)
    assert message.count("\n") == 1
    assert "name a directory" in message
    assert tree(tmp_path) == before


def test_an_entry_of_the_user_s_is_not_overwritten(real: Path, tmp_path: Path) -> None:
    where = tmp_path / "toolkit"
    make(real, where)
    (where / "share").write_text("mine")
    (real / "share").mkdir()
    assert "share: exists and was not made by" in make(real, where, status=1)
    assert (where / "share").read_text() == "mine"


def test_nothing_is_written_behind_a_link_of_the_user_s(real: Path, tmp_path: Path) -> None:
    where = tmp_path / "toolkit"
    make(real, where)
    (tmp_path / "elsewhere").mkdir()
    (where / "bin").rename(tmp_path / "old")
    (where / "bin").symlink_to(tmp_path / "elsewhere")
    (real / "bin" / "new").write_text("")
    assert "bin: exists and was not made by" in make(real, where, status=1)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_empty_directory_will_do(real: Path, tmp_path: Path) -> None:
    (tmp_path / "toolkit").mkdir()
    make(real, tmp_path / "toolkit")
    assert (tmp_path / "toolkit" / "bin" / "nvcc").is_file()


def test_removed_whole(real: Path, tmp_path: Path) -> None:
    where = tmp_path / "toolkit"
    before = tree(real)
    make(real, where)
    assert json.loads(gpuopt("toolkit", "--remove", "--json", str(where))) == {"directory": str(where), "removed": True}
    assert not where.exists()
    assert tree(real) == before
    assert "was not made by `gpuopt toolkit`" in gpuopt("toolkit", "--remove", str(where), status=1)
    assert "was not made by `gpuopt toolkit`" in gpuopt("toolkit", "--remove", str(real), status=1)
    assert tree(real) == before


def test_the_user_s_files_stay_when_it_is_removed(real: Path, tmp_path: Path) -> None:
    where = tmp_path / "toolkit"
    make(real, where)
    (where / "bin" / "mine").write_text("mine")
    assert f"{where}/bin/mine: is not of `gpuopt toolkit`" in gpuopt("toolkit", "--remove", str(where), status=1)
    assert tree(where) == {"bin/mine": "mine"}


def test_nothing_is_left_where_nothing_can_be_made(real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full in the middle."""
    entries = {"a": "x", "b": b"y", "c": "z"}
    made = shadow.Made("nvcc", "", "1", "", tuple(entries))

    def full(self: Path, target: str) -> None:
        raise OSError(28, "No space left on device", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "symlink_to", full)
        with pytest.raises(shadow.GpuoptError, match="No space left on device"):
            shadow.install(str(tmp_path / "toolkit"), {"first": b"", **entries}, made)
    assert list(tmp_path.iterdir()) == [real]
    assert shadow.install(str(tmp_path / "toolkit"), entries, made)
    assert shadow.read_marker(str(tmp_path / "toolkit")) == made


def test_a_damaged_marker_is_no_marker(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"schema": 99}', '{"schema": 1}', '{"schema": 1, "entries": 3}'):
        (tmp_path / MARKER).write_text(text)
        assert shadow.read_marker(str(tmp_path)) is None


@pytest.mark.parametrize("python", ["/usr/bin/python3", "/a path/with blanks/python3", f"/{'long' * 40}/python3"])
def test_the_script_is_one_for_the_kernel_and_for_python(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", python)
    script = shadow.launcher({"A": "b'c"}).decode()
    first = script.splitlines()[0]
    assert first in (f"#!{python}", "#!/bin/sh")
    assert len(first) < 128
    compile(script, "nvcc", "exec")


def test_a_script_for_sh_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "a folder" / "python3"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{os.sys.executable}" "$@"\n')  # type: ignore[attr-defined]
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    (tmp_path / "nvcc").write_bytes(shadow.launcher({"GPUOPT_BACKEND": "emulator"}))
    (tmp_path / "nvcc").chmod(0o755)
    done = subprocess.run([tmp_path / "nvcc", "--version"], capture_output=True, text=True, check=False)
    assert "release" in done.stdout


@pytest.mark.nvcc
def test_with_the_real_nvcc(tmp_path: Path, real_nvcc: str) -> None:
    """What it says of itself is of the directory, and it builds."""
    where = tmp_path / "toolkit"
    gpuopt("toolkit", str(where), GPUOPT_NVCC=real_nvcc)
    (tmp_path / "a.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n")
    env = {name: value for name, value in os.environ.items() if name != "GPUOPT_NVCC"}
    nvcc = str(where / "bin" / "nvcc")
    done = subprocess.run([nvcc, "-v", "a.cu"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert f"#$ TOP={where}/bin/..\n" in done.stderr
    assert subprocess.run([tmp_path / "a.out"], check=False).returncode == 0
    plain = subprocess.run([real_nvcc, "--version"], capture_output=True, check=False).stdout
    assert subprocess.run([nvcc, "--version"], env=env, capture_output=True, check=False).stdout == plain
