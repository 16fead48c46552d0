"""`gpuopt gpus`: the GPUs that there are files for, and figure by figure with their origins."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from gpuopt_driver.arch import list_archs, load_arch
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.report.columns import table

_HEADER = ("name", "GPU", "cc", "SMs", "warps/SM", "blocks/SM", "L1 KB", "shared KB", "L2 KB", "MHz", "GB/s")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    said = "show every figure of these, with where it is from; a path names a file of your own"
    parser.add_argument("names", nargs="*", metavar="NAME|FILE.toml", help=said)
    parser.add_argument("--differing", action="store_true", help="of several GPUs, only the figures that differ")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """One line per GPU, or one line per figure of the GPUs that are named."""
    archs = [load_arch(name) for name in arguments.names or list_archs()]
    if arguments.json:
        show_json({"gpus": [facts(arch) for arch in archs]})
    elif arguments.names:
        show(_comparison(archs, differing=arguments.differing))
    else:
        archs.sort(key=lambda arch: (arch.compute_capability, arch.name))
        show(table(_HEADER, (_row(arch) for arch in archs)))
    return 0


def facts(arch: Arch) -> dict[str, Any]:
    """One GPU as JSON: every figure with its origin; sizes in bytes."""
    return {
        "name": arch.name,
        "title": arch.title,
        "generation": arch.generation,
        "compute_capability": list(arch.compute_capability),
        "figures": {
            key: {"value": value, "origin": arch.origins[key], **_mark(arch, key)}
            for key, value in figures(arch).items()
        },
    }


def _mark(arch: Arch, key: str) -> dict[str, Any]:
    """What marks a figure that nobody knows."""
    return {"assumed": True} if key in arch.assumed else {}


def figures(arch: Arch) -> dict[str, Any]:
    """Every figure by the name that its origin has: `table.key` of the GPU's file."""
    return {key: _figure(arch, key) for key in arch.origins}


def _figure(arch: Arch, key: str) -> Any:
    """The figure that a file has as `table.key`."""
    table_name, _, name = key.rpartition(".")
    if table_name.startswith("operators."):
        value = getattr(arch.operators[table_name.partition(".")[2]], name)
    elif hasattr(arch, table_name):
        value = getattr(getattr(arch, table_name), name)
    else:  # figures that `Arch` has itself
        value = getattr(arch, name if hasattr(arch, name) else f"{table_name}_{name}")
    return list(value) if isinstance(value, tuple) else value


def _row(arch: Arch) -> tuple[str, ...]:
    return (
        arch.name,
        arch.title,
        "{}.{}".format(*arch.compute_capability),
        str(arch.sms),
        str(arch.limits.warps_per_sm),
        str(arch.limits.blocks_per_sm),
        str(arch.l1.capacity // 1024),
        str(arch.shared.per_sm // 1024),
        str(arch.l2.capacity // 1024),
        ("~" if "device.clock_mhz" in arch.assumed else "") + str(arch.clock_mhz),
        f"{arch.dram_bytes_per_second / 1e9:.0f}",
    )


def _comparison(archs: Sequence[Arch], *, differing: bool) -> list[str]:
    """One row per figure; with one GPU its origin stands beside it, with several the origins follow below."""
    values = [
        {key: ("~" if key in arch.assumed else "") + _text(value) for key, value in figures(arch).items()}
        for arch in archs
    ]
    keys = list(dict.fromkeys(key for one in values for key in one))
    if differing:
        keys = [key for key in keys if len({one.get(key) for one in values}) > 1]
    if len(archs) == 1:
        return table(
            ("figure", archs[0].name, "origin"), ((key, values[0][key], archs[0].origins[key]) for key in keys)
        )
    rows = [(key, *(one.get(key, "") for one in values)) for key in keys]
    lines = table(("figure", *(arch.name for arch in archs)), rows)
    for arch in archs:
        lines += ["", f"origins of {arch.name}:"]
        grouped: dict[str, list[str]] = {}
        for key in keys:
            if key in arch.origins:
                grouped.setdefault(arch.origins[key], []).append(key)
        lines += [f"  {origin}: {', '.join(named)}" for origin, named in grouped.items()]
    return lines


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
