"""The bundled GPU files: complete, consistent, and right where papers and measurements say a figure."""

from __future__ import annotations

from dataclasses import fields

import pytest

from gpuopt_driver.arch import arch_for_capability, list_archs, load_all, load_arch
from gpuopt_driver.arch.load import _bundled
from gpuopt_driver.arch.spec import L1, L2, Limits, SharedMemory

KB = 1024
REQUIRED = ["gtx285", "gtx480", "gtx680", "c2050", "k40c", "titan-x", "p100", "titan-v", "a100", "h200"]


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
