"""README's first command ends with what was gained, the patch in lines, and what to try next."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples/quickstart.sh"


@pytest.mark.usefixtures("host_compiler", "users_settings")
def test_quickstart(tmp_path: Path) -> None:
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexit 1\n")  # no GPU answers
    (tmp_path / "nvidia-smi").chmod(0o755)
    path = os.pathsep.join((str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["sh", SCRIPT], env={**os.environ, "PATH": path}, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    before, after = map(int, re.findall(r"^   cycles +(\d+) +-> (\d+) \(-", done.stdout, re.MULTILINE)[0])
    assert after < before / 2
    assert "the same results, bit for bit" in done.stdout
    patch = [line for line in done.stdout.splitlines() if line.startswith("   + ")]
    assert len(patch) == 4
    assert "warp_group" in patch[0]
    assert done.stdout.splitlines()[-1].startswith("Next: gpuopt explain ")


# Python as the script calls it: `-m venv .venv` makes a pip, whose `install` makes a gpuopt-nvcc that ends with 7.
PYTHON = """\
#!/bin/sh
echo "python3 $*" >>"$NOTED"
[ "$1" = -m ] || exit 0
mkdir -p .venv/bin
printf '%s\\n' '#!/bin/sh' 'echo "pip $*" >>"$NOTED"' 'printf "#!/bin/sh\\nexit 7\\n" >.venv/bin/gpuopt-nvcc' \
    'chmod +x .venv/bin/gpuopt-nvcc' >.venv/bin/pip
chmod +x .venv/bin/pip
"""


@pytest.mark.parametrize("gpu", [False, True])
def test_where_gpuopt_is_not_installed_it_is_installed_into_the_clone(tmp_path: Path, gpu: bool) -> None:
    """And where no GPU answers, the emulator's runtime is built meanwhile."""
    place, tools = tmp_path / "the clone", tmp_path / "tools"
    (place / "examples").mkdir(parents=True)
    shutil.copy(SCRIPT, place / "examples")
    tools.mkdir()
    for name, text in (("python3", PYTHON), ("nvidia-smi", f"#!/bin/sh\nexit {0 if gpu else 1}\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    env = {"PATH": f"{tools}:/usr/bin:/bin", "NOTED": str(tmp_path / "noted")}
    line = ["sh", place / "examples/quickstart.sh"]
    done = subprocess.run(line, env=env, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (7, "")
    assert done.stdout.startswith(f"0. pip installs gpuopt into {place}/.venv")
    noted = (tmp_path / "noted").read_text().splitlines()
    assert [said for said in noted if "before_install" not in said] == [
        "python3 -m venv .venv",
        "pip install -q --disable-pip-version-check --no-compile .",
        "python3 -m compileall -q .venv/lib/python3*/site-packages/gpuopt_*",
    ]
    assert ("python3 -B -m gpuopt_driver.emulator.before_install" in noted) == (not gpu)


def test_what_is_built_before_is_what_builds_take(host_compiler: str) -> None:
    """Without what pip installs (-S)."""
    kept = Path(os.environ["GPUOPT_CACHE_DIR"]) / "emulator"
    before = set(kept.rglob("*.a"))
    assert before
    line = [sys.executable, "-S", "-B", "-m", "gpuopt_driver.emulator.before_install"]
    done = subprocess.run(line, cwd=SCRIPT.parents[1], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert set(kept.rglob("*.a")) == before


def test_a_machine_without_a_compiler_is_told(tmp_path: Path) -> None:
    line = [sys.executable, "-S", "-B", "-m", "gpuopt_driver.emulator.before_install"]
    env = {"PATH": str(tmp_path), "GPUOPT_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(line, cwd=SCRIPT.parents[1], env=env, capture_output=True, text=True, check=False)
    if sys.version_info >= (3, 11):
        assert done.returncode == 1
        assert "the emulator needs a C++ compiler" in done.stderr
    assert "Traceback" not in done.stderr
