"""Printed steps are run by others, with no way back: what they need is printed too, and only patches that compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.driver.support import gpuopt_nvcc, program

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"
WARNING = b"gpuopt: warning: the patched source does not compile; it was compiled as it was (changed by test)\n"
# Notes what it is asked to compile; "oops" does not compile.
FAKE = """
case "$*" in
  --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0;;
  "--dryrun -c x.cu") exit 0;;
  *--dryrun*) echo "#$ steps" >&2; exit 0;;
esac
{before}
case "$*" in *"-E probe.cu") exec g++ -E -x c++ probe.cu;; esac
echo "$@" >> {log}
text=$(g++ -E -x c++ a.cu) || exit 1
text=$(echo "$text" | grep -v "^#")
case "$text" in *oops*) exit 2;; esac
echo "$text"
"""


@pytest.fixture
def project(tmp_path: Path, host_compiler: str) -> Path:
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "log").write_text("")
    return tmp_path


def nvcc_of(project: Path, before: str = "") -> dict[str, str]:
    text = FAKE.format(before=before, log=project / "log")
    return {"GPUOPT_NVCC": program(project / "toolkit" / "bin" / "nvcc", text)}


def test_steps_come_with_what_they_need(project: Path) -> None:
    """Once tried out, the same steps are printed at once."""
    patch = {"replace": [("a.cu", "*= 2", "*= 3")]}
    line = ("--dryrun", "--keep", "--keep-dir", "x", "-MD", "-MF", "a.d", "-c", "a.cu", "-o", "a.o", "-O1")
    env = nvcc_of(project)
    for _ in range(2):
        done = gpuopt_nvcc(*line, cwd=project, optimizer=patch, env=env)
        library, files, *rest = done.stderr.splitlines()
        assert (done.returncode, done.stdout, rest) == (0, b"", [b"#$ steps"])
        assert library.startswith(b"#$ LD_PRELOAD=/")
        assert files.startswith(b"#$ GPUOPT_VFS_MAP=/")
        assert Path(library.partition(b"=")[2].decode()).is_file()
    (tried,) = (project / "log").read_text().splitlines()
    assert tried.startswith("-c a.cu -O1 -o /")


def test_steps_of_patches_that_do_not_compile_are_nvccs_own(project: Path) -> None:
    patch = {"replace": [("a.cu", "*= 2", "*= oops")]}
    for _ in range(2):
        done = gpuopt_nvcc("--dryrun", "-c", "a.cu", cwd=project, optimizer=patch, env=nvcc_of(project))
        assert (done.returncode, done.stderr) == (0, WARNING + b"#$ steps\n")


def test_a_mechanism_that_nobody_else_can_use_is_not_printed(project: Path) -> None:
    patch = {"replace": [("a.cu", "*= 2", "*= 3")]}
    env = {**nvcc_of(project), "GPUOPT_OVERLAY": "shim"}
    done = gpuopt_nvcc("--dryrun", "-c", "a.cu", cwd=project, optimizer=patch, env=env)
    warning, steps = done.stderr.splitlines()
    assert warning == b"gpuopt: warning: shim: not for steps that others run; compiled without patches"
    assert steps == b"#$ steps"


def test_an_nvcc_that_drops_the_preloaded_library_is_found_out(project: Path) -> None:
    """A script in nvcc's place may: then another mechanism shows the patches."""
    patch = {"replace": [("a.cu", "*= 2", "*= 3")]}
    env = nvcc_of(project, "unset LD_PRELOAD")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=patch, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, KERNEL.replace("*= 2", "*= 3").encode(), b"")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=patch, env={**env, "GPUOPT_OVERLAY": "preload"})
    assert (done.returncode, done.stdout) == (0, KERNEL.encode())
    assert done.stderr.startswith(b"gpuopt: warning: preload: ")
    assert done.stderr.endswith(b"does not see patched files (statically linked?); compiled without patches\n")


def test_a_library_that_vanishes_costs_the_patches(project: Path) -> None:
    """The dynamic linker only complains: never half of the patches, and the next build has them all."""
    (project / "b.h").write_text("int b;\n")
    text = 'rm -f "${LD_PRELOAD%%:*}"'
    patch = {"replace": [("a.cu", "*= 2", "*= 3")]}
    own = {"GPUOPT_OVERLAY": "preload", "GPUOPT_CACHE_DIR": str(project / "cache")}  # others need theirs
    env = {**nvcc_of(project, f'case "$*" in *probe.cu) ;; *) {text};; esac'), **own}
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=patch, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, KERNEL.encode(), WARNING)
    env = {**nvcc_of(project, f'case "$*" in *probe.cu) {text};; esac'), **own}
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=patch, env=env)  # in the self-test
    assert (done.returncode, done.stdout) == (0, KERNEL.encode())
    assert done.stderr == b"gpuopt: warning: preload: the cache was cleared meanwhile; compiled without patches\n"
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=patch, env={**nvcc_of(project), **own})
    assert (done.returncode, done.stdout, done.stderr) == (0, KERNEL.replace("*= 2", "*= 3").encode(), b"")


@pytest.mark.parametrize("mechanism", ["preload", "shim"])
def test_a_source_that_changes_under_nvcc_is_compiled_as_it_is_now(project: Path, mechanism: str) -> None:
    """Patches of what was there before are of no use to it."""
    patch = {"replace": [("a.cu", "*= 2", "*= 3")]}
    env = nvcc_of(project, 'case "$*" in *probe.cu) ;; *) echo "int later;" >> a.cu;; esac')
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=patch, env={**env, "GPUOPT_OVERLAY": mechanism})
    assert (done.returncode, done.stdout.decode()) == (0, f"{KERNEL}int later;\nint later;\n")
    assert done.stderr.decode() == (
        f"gpuopt: warning: {project / 'a.cu'}: changed while it was being compiled; compiled without patches\n"
    )
