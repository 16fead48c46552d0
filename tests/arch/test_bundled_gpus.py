"""The bundled GPU files: complete, consistent, and right where papers and measurements say a figure."""

from __future__ import annotations

from dataclasses import fields

import pytest

from gpuopt_driver.arch import arch_for_capability, list_archs, load_all, load_arch
from gpuopt_driver.arch.load import _bundled
from gpuopt_driver.arch.spec import L1, L2, Arch, Limits, SharedMemory

KB = 1024
REQUIRED = ["gtx285", "gtx480", "gtx680", "c2050", "k40c", "titan-x", "p100", "titan-v", "a100", "h200"]
USUAL = ["t4", "a10", "rtx-3070", "rtx-3080", "rtx-3090", "rtx-4080", "rtx-4090", "rtx-5080", "rtx-5090", "l4", "l40s"]
REQUIRED += [*USUAL, "h100", "b200", "jetson-agx-orin"]


def test_the_promised_gpus_are_there():
    assert set(REQUIRED) <= set(list_archs())


@pytest.mark.parametrize("name", REQUIRED)
def test_every_figure_has_an_origin(name):
    origins = load_arch(name).origins
    parts = {"limits": Limits, "shared": SharedMemory, "l1": L1, "l2": L2}
    figures = {f"{part}.{item.name}" for part, kind in parts.items() for item in fields(kind)}
    figures -= {"l1.loads_opt_in", "l2.reported"}
    figures |= {"device.sms", "device.clock_mhz", "device.dram_bytes_per_second", "catt.model", "catt.margin"}
    figures |= {"device.dram_bytes", "device.dram_bus_bits", "device.ecc"}
    assert figures <= set(origins)
    assert all(len(origin) > 5 for origin in origins.values())


def test_compiler_options_say_whether_l1_keeps_loads():
    kept = {
        (name, option): load_arch(name).with_loads(option).l1.caches_global_loads
        for name in ("k40c", "titan-x", "gtx285", "c2050")
        for option in ("", "ca", "cg")
    }
    assert {key for key, value in kept.items() if value} == {
        *(("k40c", "ca"), ("titan-x", "ca")),
        *(("c2050", ""), ("c2050", "ca")),
    }


def test_titan_v_is_the_gpu_of_the_catt_paper():
    arch = load_arch("titan-v")
    assert arch.sms == 80
    assert arch.shared.configurations == tuple(size * KB for size in (0, 8, 16, 32, 64, 96))
    assert [arch.l1_bytes(size) // KB for size in arch.shared.configurations] == [128, 120, 112, 96, 64, 32]
    assert (arch.limits.warps_per_sm, arch.limits.threads_per_sm, arch.limits.blocks_per_sm) == (64, 2048, 32)
    assert (arch.limits.registers_per_sm, arch.limits.register_allocation_unit) == (65536, 256)
    assert arch.limits.register_allocation_per == "warp"
    assert arch.shared.reserved_per_block == 0
    assert arch.l2.capacity == 4608 * KB


def test_h200_is_the_gpu_that_was_measured():
    arch = load_arch("h200")
    assert (arch.sms, arch.compute_capability) == (132, (9, 0))
    assert arch.l1.unified_bytes == 256 * KB
    assert arch.shared.reserved_per_block == KB
    wanted = (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)
    assert arch.shared.configurations == tuple(size * KB for size in wanted)
    assert arch.shared.default_configuration == 32 * KB


def test_older_gpus_have_what_the_papers_say():
    gtx285, gtx480, gtx680 = map(load_arch, ("gtx285", "gtx480", "gtx680"))
    assert gtx285.shared.per_sm == 16 * KB
    assert gtx285.limits.registers_per_sm * 4 == 64 * KB
    assert gtx285.l1.capacity == 0
    assert gtx480.limits.registers_per_sm * 4 == 128 * KB
    assert [gtx480.l1_bytes(size) // KB for size in gtx480.shared.configurations] == [48, 16]
    assert [gtx680.l1_bytes(size) // KB for size in gtx680.shared.configurations] == [48, 32, 16]
    assert (gtx680.sms, gtx680.limits.blocks_per_sm, gtx680.clock_mhz) == (8, 16, 1006)
    assert [load_arch(name).sms for name in ("c2050", "k40c", "titan-x", "p100")] == [14, 15, 24, 56]


def test_a_separate_l1_keeps_its_size():
    assert load_arch("p100").l1_bytes(64 * KB) == 24 * KB


def test_generations_differ_where_analyses_look():
    for arch in load_all():
        volta = arch.compute_capability >= (7, 0)
        assert arch.independent_threads == volta
        assert arch.catt_model == ("sectored" if volta else "paper")
        assert (arch.shared.reserved_per_block > 0) == (arch.compute_capability >= (8, 0))


def test_each_capability_has_one_gpu_that_stands_for_it():
    capabilities = {arch.compute_capability for arch in load_all()}
    for major, minor in capabilities:
        arch = arch_for_capability(major * 10 + minor)
        assert arch is not None
        assert arch.compute_capability == (major, minor)
        assert arch.stands
    assert arch_for_capability(90) == load_arch("h200")
    assert arch_for_capability(70) == load_arch("titan-v")
    assert arch_for_capability(999) is None


def test_exactly_one_default_per_capability():
    defaults = [arch.compute_capability for arch, default in _bundled().values() if default]
    assert sorted(defaults) == sorted({arch.compute_capability for arch in load_all()})


def test_every_gpu_says_how_it_runs_warps_and_where_that_is_from():
    generations = {"Tesla": "half-warp", "Fermi": "lines", "Kepler": "lines"}
    for arch in load_all():
        assert arch.execution is not None
        assert arch.execution.coalescing == generations.get(arch.generation, "sectors")
        assert {key for key in arch.origins if key.startswith("execution.")} == {
            f"execution.{name}" for name in arch.execution.__slots__
        }


def test_the_gpus_of_cuda_13_stand_for_its_architectures() -> None:
    usual = {number: arch_for_capability(number) for number in (75, 80, 86, 87, 89, 90, 100, 120)}
    assert {number: arch.name for number, arch in usual.items() if arch is not None} == {
        75: "rtx-2080-ti",
        80: "a100",
        86: "a6000",
        87: "jetson-agx-orin",
        89: "l40s",
        90: "h200",
        100: "b200",
        120: "rtx-5090",
    }
    assert all(arch.stands for arch in usual.values() if arch is not None)


def test_limits_and_carve_outs_are_those_of_the_capability() -> None:
    """What one GPU says of an SM, all of its capability say."""
    by_capability: dict[tuple[int, int], list[Arch]] = {}
    for arch in load_all():
        by_capability.setdefault(arch.compute_capability, []).append(arch)
    for several in by_capability.values():
        assert len({(one.limits, one.shared, one.l1.unified_bytes) for one in several}) == 1, several[0].name


def test_limits_are_those_of_nvidia_s_occupancy_header() -> None:
    """cuda_occupancy.h: blocks of an SM and the carve-outs there are, in KB."""
    small, large = (0, 8, 16, 32, 64, 100), (0, 8, 16, 32, 64, 100, 132, 164)
    said = {
        "t4": (16, 32, (32, 64)),
        "rtx-3090": (16, 48, small),
        "jetson-agx-orin": (16, 48, large),
        "l4": (24, 48, small),
        "b200": (32, 64, (*large, 196, 228)),
        "rtx-5090": (24, 48, small),
    }
    for name, (blocks, warps, carve_outs) in said.items():
        arch = load_arch(name)
        assert (arch.limits.blocks_per_sm, arch.limits.warps_per_sm) == (blocks, warps)
        assert arch.shared.configurations == tuple(size * KB for size in carve_outs)


def test_what_nobody_knows_is_marked() -> None:
    marked = {arch.name: arch.assumed for arch in load_all() if arch.assumed}
    assert marked == {"b200": {"device.clock_mhz"}, "jetson-agx-orin": {"device.ecc"}}
    for name, figures in marked.items():
        assert all(load_arch(name).origins[figure].startswith("unknown: ") for figure in figures)
