"""The C++ guard takes the same decision as Python, on random loops and launches."""

from __future__ import annotations

import random
import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest
from gpuopt_plugins.catt.decide import Outcome, Rules, decide
from gpuopt_plugins.catt.guard import Slot, guard
from gpuopt_plugins.catt.options import Options
from gpuopt_plugins.catt.support import SUPPORT
from gpuopt_plugins.catt.survey import UNIT, LoopFacts, Site, configuration_for, demand, room

from gpuopt_driver.api import Arch, BlockUse, Inner, Reference, Shape, Sym, SymKind, expr, occupancy
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.model import Loop
from gpuopt_driver.variants.emit import _gpu_row

ARCHS = {name: load_arch(name) for name in ("titan-v", "h200", "gtx480")}
T = {axis: Sym(f"threadIdx.{axis}", SymKind.THREAD) for axis in "xyz"}
B = Sym("blockIdx.x", SymKind.BLOCK, uniform=True)
D = Sym("blockDim.x", SymKind.BLOCK_DIM, uniform=True)
PARAMS = {name: Sym(name, SymKind.PARAM, uniform=True) for name in ("n", "m")}
CASES = 60


def _reference(rng: random.Random, number: int) -> Reference:
    kind = rng.choice(("row", "broadcast", "coalesced", "strided", "irregular", "fixed", "tile", "quotient", "below"))
    n, m = PARAMS["n"], PARAMS["m"]
    thread = expr.add(expr.mul(B, D), T["x"])
    offsets = {
        "row": expr.mul(expr.Const(4), thread, n),
        "broadcast": expr.ZERO,
        "coalesced": expr.mul(expr.Const(4), thread),
        "strided": expr.mul(expr.Const(rng.choice((8, 12, 36, 136))), thread),
        "irregular": None,
        "fixed": expr.Const(rng.randrange(0, 1000)),
        "tile": expr.add(expr.mul(expr.Const(8), T["y"], m), expr.mul(expr.Const(4), T["x"])),
        "quotient": expr.mul(expr.Const(4), expr.op("/", expr.mul(thread, n), m)),
        "below": expr.sub(expr.mul(expr.Const(64), thread), expr.Const(200)),
    }
    step = rng.choice((expr.ZERO, expr.Const(4), expr.Const(8), expr.Const(-16), expr.Const(32), expr.Const(128), None))
    if kind != "irregular" and rng.random() < 0.2:
        step = expr.mul(expr.Const(4), n)
    inner = ()
    if rng.random() < 0.3:
        inner = (Inner(expr.Const(rng.choice((4, 40, 400))), rng.choice((expr.Const(34), m))),)
    return Reference(
        array=rng.choice("ABC") if rng.random() < 0.5 else f"a{number}",
        text=f"{kind}[i]",
        line=1,
        offset=offsets[kind],
        bytes=rng.choice((1, 4, 8, 16)),
        step=step,
        inner=inner,
        guarded=rng.random() < 0.15,
        batch=rng.choice((1, 1, 4)),
    )


def _loop(rng: random.Random) -> LoopFacts:
    trips = rng.choice((expr.Const(4096), expr.Const(8), PARAMS["n"], None))
    count = rng.randrange(1, 5)
    loop = Loop(stmt=1, symbol="loop1", trips=trips)
    return LoopFacts(loop, 7, tuple(_reference(rng, number) for number in range(count)), trips, innermost=True)


def _case(rng: random.Random) -> tuple[str, LoopFacts, Rules, Options, Site, dict[str, int]]:
    name = rng.choice(tuple(ARCHS))
    arch = ARCHS[name]
    rules = Rules(
        sectored=rng.random() < 0.6,
        margin=rng.choice((1000, 1200)),
        line_bytes=128,
        sector_bytes=32,
        minimum_trips=16,
        minimum_warps=rng.choice((1, 4)),
        warp_level=rng.random() < 0.9,
        block_level=rng.random() < 0.8,
    )
    shape = rng.choice(
        (Shape(256), Shape(32, 8), Shape(16, 16), Shape(1024), Shape(64), Shape(192), Shape(100), Shape(8, 4, 4))
    )
    grid = rng.choice((1, 132, 320, 1056, 5000))
    use = BlockUse(shape.threads, 32, rng.choice((0, 2048)), rng.choice((0, 1000)), grid)
    values = {"n": rng.choice((1, 7, 33, 1000, 4096)), "m": rng.choice((1, 3, 64))}
    launch = {"blockDim.x": shape.x, "blockDim.y": shape.y, "blockDim.z": shape.z, "blockIdx.x": 0}
    site = Site(
        None, shape, {**launch, **values}, occupancy(arch, use), use.static_shared + use.dynamic_shared, known=True
    )
    return name, _loop(rng), rules, Options(l1_bytes=rng.choice((0, 0, 32768))), site, values


def _mock() -> str:
    """What a guard uses of the runtime, cut out of the runtime's own text."""
    headers = resources.files("gpuopt_driver.variants")
    text, defined = (headers.joinpath(name).read_text(encoding="utf-8") for name in ("launch.h", "runtime.h"))
    rows = ", ".join(
        _gpu_row(10 * arch.compute_capability[0] + arch.compute_capability[1], arch) for arch in ARCHS.values()
    )
    parts = [re.search(rf"^struct {name} \{{.*?^\}};", text, re.M | re.S) for name in ("launch", "choice")]
    table = (
        text[text.index("struct gpu {") : text.index("GPUOPT_RT_API const gpu *gpu_of")]
        + "\n#define GPUOPT_RT_API static\n"
    )
    table += defined[defined.index("static const gpu gpus") : defined.index("GPUOPT_RT_API int attribute")]
    head = "#include <cstddef>\n#include <cstdio>\nstruct dim3 { unsigned x, y, z; };\nnamespace gpuopt_rt {\n"
    structs = "\n".join(part.group(0) for part in parts if part)
    offers = (
        "struct offers { choice blank(); bool add(const choice &, unsigned, double, double); };\n"  # not asked here
    )
    support = f"{offers}namespace plugin_catt {{\n{SUPPORT}}}\n"
    return head + structs + "\n" + table.replace("GPUOPT_RT_GPUS", rows) + support + "}\n"


def _call(number: int, name: str, options: Options, site: Site, values: dict[str, int], shared: tuple[int, int]) -> str:
    arch, seen = ARCHS[name], site.occupancy
    capability = 10 * arch.compute_capability[0] + arch.compute_capability[1]
    return (
        f"  {{ gpuopt_rt::launch l = gpuopt_rt::launch();"
        f" l.block = {{{site.shape.x}u, {site.shape.y}u, {site.shape.z}u}};"
        f" l.threads = {site.shape.threads}; l.warps = {site.shape.warps}; l.capability = {capability};"
        f" l.static_shared = {shared[0]}; l.shared = {shared[1]}; l.blocks_per_sm = {seen.blocks};"
        f" l.l1_bytes = {seen.l1_bytes * round(arch.l1.usable_fraction * 1000) // 1000};"
        f" gpuopt_rt::choice c = gpuopt_rt::choice(); c.n[0] = 1; c.shared = l.shared; c.carveout = -1;"
        f" bool pick = guard{number}(l, c, {values['n']}, {values['m']});"
        f' std::printf("%d %u %zu\\n", pick, c.n[0], c.shared); }}\n'
    )


def _shared(arch: Arch, site: Site, taken: int, static: int) -> int:
    """The dynamic shared memory that leaves room for `taken` blocks less."""
    if not taken:
        return site.shared_bytes - static
    blocks = site.occupancy.blocks - taken
    size = configuration_for(arch.shared.configurations, site, arch, blocks)
    assert size is not None
    return size // blocks // UNIT * UNIT - arch.shared.reserved_per_block - static


@pytest.mark.parametrize("seed", [1, 2])
def test_guard_agrees_with_python(tmp_path: Path, host_compiler: str, seed: int) -> None:
    rng = random.Random(seed)
    functions, calls, expected = [], [], []
    for number in range(CASES):
        name, facts, rules, options, site, values = _case(rng)
        if site.occupancy.blocks == 0:
            continue
        text = guard([Slot(((facts,),), returns=False)], rules, options, block_level=rules.block_level)
        functions.append(
            f"static bool guard{number}(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const int &n, "
            f"const int &m) {{ (void)n; (void)m;\n{text}\n}}\n"
        )
        static = site.shared_bytes // 1024 * 1024
        calls.append(_call(number, name, options, site, values, (static, site.shared_bytes - static)))
        found = demand(facts, rules, site)
        assert found is not None
        verdict = decide(rules, found, room(ARCHS[name], options, site))
        throttled = verdict.outcome is Outcome.THROTTLE and (verdict.n > 1 or verdict.m > 0)
        expected.append((throttled, verdict.n, _shared(ARCHS[name], site, verdict.m, static), verdict))
    source = tmp_path / "twin.cpp"
    source.write_text(_mock() + "".join(functions) + "int main() {\n" + "".join(calls) + "}\n")
    program = tmp_path / "twin"
    subprocess.run(
        [host_compiler, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-o", str(program), str(source)], check=True
    )
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(printed) == len(expected)
    for line, (throttled, n, shared, verdict) in zip(printed, expected, strict=True):
        pick, groups, given = line.split()
        assert (pick == "1", int(groups), int(given)) == (throttled, n, shared), verdict
    assert sum(throttled for throttled, *_ in expected) >= 3
    assert any(verdict.m for *_, verdict in expected)
