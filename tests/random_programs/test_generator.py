"""Programs depend on their seeds alone, and can be said in every way that is asked for."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest
import tomli

from gpuopt_driver.policy.options import ORDER

from . import launches
from .grammar.kernels import WHOLE
from .policies import FORMS, PLUGINS, candidates, forced, policy, runs
from .prelude import PIECES, needed
from .program import program
from .tree import walk


def test_a_program_depends_on_its_seed_alone() -> None:
    assert program(5, 3).text == program(5, 3).text
    assert program(5, 3).text != program(6, 3).text
    assert forced(program(5, 3)) == forced(program(5, 3))
    assert forced(program(5, 3)) != forced(program(5, 3), turn=1)
    assert runs(5) == runs(5)


def test_what_is_avoided_is_not_written() -> None:
    avoid = ("Place", "Wrapped", "blockIdx.z", "::threadIdx", "::blockIdx")
    text = "".join(program(seed, 5, avoid=avoid).text for seed in range(20))
    assert "Place" not in text
    assert "::threadIdx" not in text
    assert "blockIdx.z" not in text
    assert "::threadIdx" in "".join(program(seed, 5, avoid=()).text for seed in range(20))


def test_pieces_bring_what_they_name() -> None:
    assert needed("exchange(p)") == [PIECES["Pair"], PIECES["exchange"]]
    assert needed("Wrapped w;") == [PIECES["Place"], PIECES["Wrapped"]]
    assert needed("int places;") == []


def test_every_subject_is_written() -> None:
    """Words of each subject, and every piece that kernels can name, come up in some hundred kernels."""
    text = "".join(program(seed, 10, avoid=()).text for seed in range(90))
    assert [name for name in PIECES if f"{name}" not in text] == []
    for word in (
        "[&]",
        "auto [",
        "do {",
        "switch (",
        "while (",
        "union",
        "volatile",
        "uchar4",
        "short2",
        "float4",
        "__half",
        "double",
        "extern __shared__",
        "cudaLaunchKernel",
        "cudaStreamCreate",
        "for (unsigned &",
        "&slot",
        "dim3(3, 1, 2)",
        "__syncthreads_or",
        "__shfl_down_sync",
        "if (t < 16) U[me] +=",
        "template <typename R",
        ">> (32 - m)",
        "/ (unsigned)(n - 3)",
        "first_from(A",
        "int middle : 11",
        "mutable {",
        "unsigned low : 4",
        "!= (unsigned char)n",
        "min(me + ",
        "% (n + 1) * 64",
        "chosen<1>(",
        "sizeof(int) == 8",
        "const Counting par",
        "= -V[me + 2048]",
        "* 1103515245 + 12345) & 0x7fffffff",
        "(U + me + 2048))[1] =",
        "copysignf(",
    ):
        assert word in text, word
    assert set(WHOLE) == {"control", "simple", "effects", "objects", "integer", "shared", "floats"}


def _size(dims: str) -> int:
    """How many blocks or threads `7` or `dim3(3, 1, 2)` are."""
    return math.prod(map(int, dims.removeprefix("dim3(").removesuffix(")").split(",")))


def test_no_launch_has_threads_that_share_elements() -> None:
    """A thread's own elements are `me` and `me + 2048`: with more threads than that, two of them race for one."""
    blocks = max(map(_size, (*launches._FLAT_BLOCKS, *launches._BLOCKS)))
    for grids in launches._GRIDS.values():
        assert max(map(_size, grids)) * blocks <= 2048, grids


def test_a_kernel_has_statements_to_take_away() -> None:
    kinds = Counter(node.kind for _, node in walk(program(3, 1).kernels[0].body))
    assert kinds["stmt"] > 3
    assert kinds["keep"] >= 3
    assert kinds["u"] > 3


@pytest.mark.parametrize("plugins", [PLUGINS, ("vtb",)])
def test_a_policy_says_what_is_forced(plugins: tuple[str, ...]) -> None:
    made = program(2, 4)
    read = tomli.loads(policy(forced(made), plugins))
    assert {name for name, table in read["plugins"].items() if table["enabled"]} == set(plugins)
    assert [table["name"] for table in read["kernel"]] == ["k0", "k1", "k2", "k3"]
    for table in read["kernel"]:
        assert set(table) - {"name"} == set(plugins)
        assert dict(table["vtb"]) in [dict(form) for form in FORMS["vtb"]]


def test_numbers_of_launches_are_stated() -> None:
    made = program(2, 30)
    stated = [options["constants"].get("known", []) for options in forced(made).values()]
    assert 5 < sum(map(bool, stated)) < 25
    assert all(entry in {one.numbers for one in made.launches} for entries in stated for entry in entries)
    loops = [one for one in made.launches if one.form == "loop"]
    assert all(", m = 3, total = " in one.numbers for one in loops)
    assert any(
        re.match(r"blockDim = \d+x\d+(x\d+)?, n = \d+, m = \d, total = \d+$", one.numbers) for one in made.launches
    )


def test_a_policy_of_candidates_forces_nothing() -> None:
    read = tomli.loads(candidates(("vtb", "catt")))
    assert {name for name, table in read["plugins"].items() if table["enabled"]} == {"vtb", "catt"}
    assert "kernel" not in read
    assert read["learn"]["versions"] >= 100  # a version of every kernel


def test_all_plugins_are_forced() -> None:
    assert PLUGINS == ORDER
    assert tuple(name for name in PLUGINS if FORMS[name]) == PLUGINS


def test_every_plugin_runs_alone_and_all_together() -> None:
    assert [one.name for one in runs(1) if " " not in one.name] == [*PLUGINS, "together"]
    assert [one.environment["GPUOPT_DISPATCH"] for one in runs(1, ("catt",))] == ["only:catt"]
