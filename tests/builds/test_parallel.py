"""make with eight jobs at once on an empty cache: many sources, and one source many times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builds.support import Project, copy_project, tool

pytestmark = [pytest.mark.nvcc, pytest.mark.usefixtures("users_settings"), pytest.mark.xdist_group("parallel")]

COPIES = 3  # of each kind, beside two objects: each takes seconds on an empty cache
MAKEFILE = """\
OWN = $(patsubst %.cu,%.i,$(wildcard own*.cu))
SHARED = $(patsubst %,shared%.i,$(NUMBERS))
all: $(OWN) $(SHARED) own1.o plain.o
own%.i: own%.cu
\t$(NVCC) -arch=sm_90 -std=c++14 -E $< -o $@
shared%.i: plain.cu
\t$(NVCC) -arch=sm_90 -std=c++14 -E $< -o $@
%.o: %.cu
\t$(NVCC) -arch=sm_90 -std=c++14 -c $< -o $@
"""


@pytest.fixture
def project(tmp_path: Path, real_nvcc: str) -> Project:
    """The project with more sources, each a little different, and a cache that nobody has used."""
    made = copy_project(tmp_path, real_nvcc, GPUOPT_CACHE_DIR=str(tmp_path / "cache"))
    text = (made.root / "weighted.cu").read_text()
    for number in range(1, COPIES + 1):
        made.write(f"own{number}.cu", text.replace("256", str(32 * number)))
    made.write("Makefile", MAKEFILE)
    return made


def test_jobs_share_the_cache(project: Project, tmp_path: Path) -> None:
    numbers = [str(number) for number in range(1, COPIES + 1)]
    project.run(tool("make"), "-j8", f"NVCC={project.gpuopt}", f"NUMBERS={' '.join(numbers)}")
    assert all(project.patched(name) for name in ("own1.o", "plain.o"))
    shared = project.bytes_of(*(f"shared{number}.i" for number in numbers))
    assert len(set(shared.values())) == 1
    own = project.bytes_of(*(f"own{number}.i" for number in numbers))
    assert len(set(own.values())) == COPIES
    for text in (*shared.values(), *own.values()):
        assert b"row_sums__gpuopt_catt" in text
    assert [
        path for path in (tmp_path / "cache").rglob("*") if "tmp" in path.suffix
    ] == []  # nothing half-written is left
