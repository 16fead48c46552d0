"""The script that says which programs of a tree the emulator builds and runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = 'int main() { puts("Test passed"); }\n'
RECIPES = """
["told"]
sources = ["a.cu", "b.cpp"]
inputs = "echo 5 > five.txt"
arguments = ["five.txt"]
passed = "read 5"
["left"]
skip = "needs a network"
"""


@pytest.mark.usefixtures("host_compiler")
def test_states_of_programs(tmp_path: Path) -> None:
    files = {
        "quiet/main.cu": "int main() {}\n",
        "broken/main.cu": "int main() { return nonsense; }\n",
        "library/main.cu": "#include <cufft.h>\nint main() {}\n",
        "wrong/main.cu": '#include <cstdio>\nint main() { puts("Test failed"); }\n',
        "two/one.cu": "#include <cstdio>\n" + GOOD,
        "two/other.cu": "int main() { return 3; }\n",
        "told/a.cu": "#include <cstdio>\nint read_it(const char *);\n"
        'int main(int, char **argv) { printf("read %d\\n", read_it(argv[1])); }\n',
        "told/b.cpp": "#include <fstream>\n"
        "int read_it(const char *name) { int n; std::ifstream(name) >> n; return n; }\n",
        "left/main.cu": "int main() {}\n",
    }
    for name, text in files.items():
        path = tmp_path / "suite" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "recipes.toml").write_text(RECIPES)
    script = str(ROOT / "benchmarks/emulator_coverage.py")
    done = subprocess.run(
        [sys.executable, script, "suite", "--recipes", "recipes.toml", "--", "-O0"],
        cwd=tmp_path,
        env={**os.environ, "GPUOPT_EMU_MODE": "fast", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    states = {line.split()[1]: line.split()[0] for line in done.stderr.splitlines() if line}
    assert states["told"] == states["two/one.cu"] == "passed", done.stderr
    assert states["quiet"] == "ran"
    assert states["wrong"] == states["two/other.cu"] == "failed"
    assert states["library"] == states["left"] == "skipped"
    assert "not built  broken" in done.stderr
    assert "needs cuFFT" in done.stdout
    assert done.returncode == 1
