"""`gpuopt gpus`: the GPUs that there are files for, and figure by figure with their origins."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gpuopt_driver.arch import list_archs, load_arch
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.report.columns import table

_HEADER = ("name", "GPU", "cc", "SMs", "warps/SM", "blocks/SM", "L1 KB", "shared KB", "L2 KB", "MHz", "GB/s")
_NAMED_ELSEWHERE = {"sms": "device", "clock_mhz": "device", "dram_bytes_per_second": "device"}
_NAMED_ELSEWHERE |= {"independent_threads": "device"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="show every figure of these, with where it is from")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """One line per GPU, or one line per figure of the GPUs that are named."""
    archs = [load_arch(name) for name in arguments.names or list_archs()]
    if arguments.json:
        show_json({"gpus": [facts(arch) for arch in archs]})
    elif arguments.names:
        show(_comparison(archs))
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
        "figures": {key: {"value": value, "origin": arch.origins[key]} for key, value in figures(arch).items()},
    }


def figures(arch: Arch) -> dict[str, Any]:
    """Every figure by the name that its origin has: `table.key` of the GPU's file."""
    made: dict[str, Any] = {f"device.{key}": getattr(arch, key) for key in _NAMED_ELSEWHERE}
    parts = {name: getattr(arch, name) for name in ("limits", "shared", "l1", "l2")}
    made |= _figures(parts)
    made |= {"catt.model": arch.catt_model, "catt.margin": arch.catt_margin}
    measured: dict[str, Any] = {"timing": arch.timing, "caching": arch.caching}
    measured |= {f"operators.{name}": operator for name, operator in arch.operators.items()}
    return made | _figures({name: part for name, part in measured.items() if part is not None})


def _figures(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{name}.{key}": list(value) if isinstance(value, tuple) else value
        for name, part in parts.items()
        for key, value in asdict(part).items()
    }


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
        str(arch.clock_mhz),
        f"{arch.dram_bytes_per_second / 1e9:.0f}",
    )


def _comparison(archs: Sequence[Arch]) -> list[str]:
    """One row per figure; with one GPU its origin stands beside it, with several the origins follow below."""
    values = [{key: _text(value) for key, value in figures(arch).items()} for arch in archs]
    keys = list(dict.fromkeys(key for one in values for key in one))
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
