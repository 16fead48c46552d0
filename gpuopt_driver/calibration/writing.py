"""A GPU file from measured figures, on top of the file of the same kind of GPU for what cannot be measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gpuopt_driver.calibration.derive import Figures

Origins = Mapping[str, str]
_HEAD = ("title", "generation", "compute_capability")


def gpu_file(head: Mapping[str, Any], base: Mapping[str, Any], origins: Origins, measured: Figures, origin: str) -> str:
    """The text of a GPU file: `base` figures (`table.key`) with their origins, `measured` ones in their place."""
    tables: dict[str, dict[str, tuple[Any, str]]] = {}
    for name, value in base.items():
        table, _, key = name.rpartition(".")
        tables.setdefault(table, {})[key] = (value, origins[name])
    for table, values in measured.items():
        for key, value in values.items():
            tables.setdefault(table, {})[key] = (value, origin)
    lines = [f"# {head['title']}. Sizes in bytes, latencies in cycles. Written by `gpuopt calibrate`."]
    lines += [f"{key} = {_toml(head[key])}" for key in _HEAD]
    for table, values in tables.items():
        common = _most_common([source for _, source in values.values()])
        lines += ["", f"[{table}]", f"origin = {_toml(common)}"]
        for key, (value, source) in values.items():
            plain = _toml(value)
            lines.append(
                f"{key} = {plain}" if source == common else f"{key} = {{ value = {plain}, origin = {_toml(source)} }}"
            )
    return "\n".join(lines) + "\n"


def _most_common(texts: list[str]) -> str:
    return max(dict.fromkeys(texts), key=texts.count)


def _toml(value: Any) -> str:
    """A value as TOML has it: JSON's strings, numbers and arrays are TOML's."""
    if isinstance(value, tuple):
        value = list(value)
    return json.dumps(value, ensure_ascii=False)
