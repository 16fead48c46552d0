"""The plugins that come with gpuopt, and policies that leave them out."""

from __future__ import annotations

from pathlib import Path

NAMES = tuple(sorted(path.parent.name for path in Path(__file__).parents[1].glob("plugins/*/__init__.py")))
DISABLED = ",".join(NAMES)  # for GPUOPT_DISABLE_PLUGINS


def switched_off(*but: str) -> str:
    """A policy without any of them but those named."""
    return "".join(f"[plugins.{name}]\nenabled = false\n" for name in NAMES if name not in but)
