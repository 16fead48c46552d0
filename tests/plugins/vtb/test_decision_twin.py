"""The C++ decision takes what Python takes, on random phases and launches."""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import replace
from importlib import resources
from pathlib import Path

from gpuopt_plugins.vtb.decide import Choice, Held, Phases, choose
from gpuopt_plugins.vtb.support import HOST, SUPPORT

from gpuopt_driver.api import BlockUse, occupancy
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.variants.emit import _gpu_row

ARCH = load_arch("h200")
MARGIN = 1.25
CASES = 320
REGISTERS = 40


def _mock() -> str:
    """What a guard uses of the runtime, cut out of the runtime's own text; residency by threads and shared memory."""
    headers = resources.files("gpuopt_driver.variants")
    text, defined = (headers.joinpath(name).read_text(encoding="utf-8") for name in ("launch.h", "runtime.h"))
    parts = [re.search(rf"^struct {name} \{{.*?^\}};", text, re.M | re.S) for name in ("launch", "choice")]
    table = (
        text[text.index("struct gpu {") : text.index("GPUOPT_RT_API const gpu *gpu_of")]
        + "\n#define GPUOPT_RT_API static\n"
    )
    table += defined[defined.index("static const gpu gpus") : defined.index("GPUOPT_RT_API int attribute")]
    head = "#include <cstddef>\n#include <cstdio>\n#include <cstdlib>\nstruct dim3 { unsigned x, y, z; };\n"
    structs = "\n".join(part.group(0) for part in parts if part)
    held = "static unsigned held[16], divided[16]; static size_t own = 0;\n"
    held += "static unsigned residency(const launch &l, unsigned threads, size_t shared) {\n"
    held += "  return (shared > own ? divided : held)[threads / l.threads]; }\n"
    held += "struct offers {\n"  # what guards do not ask for
    held += "  choice blank(); bool add(const choice &, unsigned, double, double, const char *); };\n"
    held += "static void leave_aside(unsigned, const char *, const char *, const char *) {}\n"
    host = SUPPORT[SUPPORT.index(HOST[:40]) :]
    row = table.replace("GPUOPT_RT_GPUS", _gpu_row(90, ARCH))
    return f"{head}namespace gpuopt_rt {{\n{structs}\n{row}{held}namespace plugin_vtb {{\n{host}}} }}\n"


class _Launch:
    """Random phases and a launch."""

    def __init__(self, rng: random.Random) -> None:
        self.threads = rng.choice((32, 64, 96, 128, 256, 512))
        self.shared = rng.choice((512, 4224, 9216, 16384, 33000, 49152))
        self.grid = rng.choice((20, 132, 1000, 5000, 65536))
        loads = rng.choice((0, 1, 8, 50))
        self.phases = Phases(
            outside=rng.choice((100, 3000, 20000)),
            inside=rng.choice((50, 500, 9000)),
            instructions=rng.choice((100, 2000, 20000)),
            scattered=rng.choice((0, 0, 4, 30)),
            serial=rng.choice((0, 4)),
            loads=loads,
            memory=693,
            entries=rng.choice((1, 1, 7)),
            meeting=rng.choice((0, 0, 4, 30)),
            near_memory=287,
        )
        less = 406 * rng.choice((0, 4, 30))
        outside = self.phases.outside
        self.phases = replace(
            self.phases, near_outside=max(80.0, outside - less), near_inside=self.phases.inside * rng.choice((1, 0.4))
        )
        self.pipes = rng.choice((0, 2, 4))
        self.own = rng.choice((256, self.shared // 32 * 16))
        moved = self.phases.inside * rng.choice((0.5, 0.95, 0.98))
        self.divided = replace(self.phases, outside=self.phases.outside + moved, inside=self.phases.inside - moved)
        part = self.phases.near_inside * moved / self.phases.inside
        near_outside, near_inside = self.phases.near_outside + part, self.phases.near_inside - part
        self.divided = replace(self.divided, near_outside=near_outside, near_inside=near_inside)

    def held(self, factor: int, own: int = 0) -> Held | None:
        threads = self.threads * factor
        if threads > 1024:
            return None
        use = BlockUse(threads, REGISTERS, self.shared - own + 4 * (factor > 1), factor * own, None)
        one = occupancy(ARCH, use, largest_l1=factor > 1)
        usable = round(ARCH.l1.usable_fraction * 1000)
        return Held(factor, one.resident_blocks, one.l1_bytes * usable // 1000) if one.resident_blocks else None

    def choice(self, own: int = 0) -> Choice:
        factors = [factor for factor in (2, 4, 8) if factor <= self.grid]
        phases = self.divided if own else self.phases
        warps = self.threads // 32

        def held(factor: int) -> Held | None:
            return self.held(factor, own if factor > 1 else 0)

        return choose(phases, self.grid, ARCH.sms, warps, held, factors=factors, longest=(15, self.pipes))

    def call(self) -> str:
        p, plain = self.phases, self.held(1)
        assert plain is not None
        blocks = f"gpuopt_rt::own = {self.own};"
        for name, own in (("held", 0), ("divided", self.own)):
            for n in (2, 4, 8):
                one = self.held(n, own)
                blocks += f" gpuopt_rt::{name}[{n}] = {one.blocks if one else 0};"
        return (
            f"  {{ gpuopt_rt::launch l = gpuopt_rt::launch(); gpuopt_rt::choice c = gpuopt_rt::choice();"
            f" l.grid = {{{self.grid}u, 1u, 1u}}; l.block = {{{self.threads}u, 1u, 1u}}; l.threads = {self.threads};"
            f" l.warps = {self.threads // 32}; l.capability = 90; l.sms = {ARCH.sms};"
            f" l.static_shared = {self.shared}; l.resident_blocks = {plain.blocks}; l.l1_bytes = {plain.l1_bytes};"
            f" {blocks}\n"
            f"    const gpuopt_rt::plugin_vtb::phases p = {{{_numbers(p)}}};\n"
            f"    const gpuopt_rt::plugin_vtb::rules r = {{3u, 0u, 8u, {self.pipes}u, {MARGIN}}};\n"
            f"    const bool yes = gpuopt_rt::plugin_vtb::choose(l, c, p, r);\n"
            f'    printf("%d %d %d %u ", yes, yes ? c.n[0] : 1, yes ? c.n[1] & 1 : 0, yes ? c.grid.x : l.grid.x);\n'
            f"    c = gpuopt_rt::choice(); const gpuopt_rt::plugin_vtb::phases o = {{{_numbers(self.divided)}}};\n"
            f"    const gpuopt_rt::plugin_vtb::part s = {{{self.shared - self.own}u, {self.own}u}};\n"
            f"    const gpuopt_rt::plugin_vtb::rules both = {{15u, 0u, 8u, {self.pipes}u, {MARGIN}}};\n"
            f"    const bool co = gpuopt_rt::plugin_vtb::divide(l, c, p, o, s, both);\n"
            f'    printf("%d %d %zu\\n", co, co ? c.n[0] : 1, co ? c.shared : l.shared); }}\n'
        )


def _numbers(p: Phases) -> str:
    values = (p.outside, p.inside, p.instructions, p.scattered, p.serial, p.loads, p.memory, p.entries, p.meeting)
    values += (p.near_outside, p.near_inside, p.near_memory)
    return ", ".join(map(str, map(float, values)))


def test_python_and_cpp_take_the_same_decision(tmp_path: Path, host_compiler: str) -> None:
    rng = random.Random(20120919)
    launches = [_Launch(rng) for _ in range(CASES)]
    source, program = tmp_path / "twin.cpp", tmp_path / "twin"
    body = "".join(one.call() for one in launches)
    source.write_text(f"{_mock()}int main() {{\n{body}}}\n")
    subprocess.run([host_compiler, "-std=c++11", "-o", str(program), str(source)], check=True)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split("\n")
    applied = shared = 0
    for launch, line in zip(launches, said, strict=False):
        choice = launch.choice()
        yes = choice.gain >= MARGIN
        factor = choice.factor if yes else 1
        blocks = -(-launch.grid // factor)
        divided = launch.choice(launch.own)
        co = divided.gain >= MARGIN and divided.factor > 1 and choice.gain <= 0.95 * divided.gain
        size = divided.factor * launch.own if co else 0
        wanted = (
            f"{int(yes)} {factor} {int(choice.pipe and yes)} {blocks} {int(co)} {divided.factor if co else 1} {size}"
        )
        assert line == wanted, (vars(launch), choice, divided)
        applied += yes
        shared += co
    assert 10 < applied < CASES - 10
    assert 5 < shared < CASES - 10
