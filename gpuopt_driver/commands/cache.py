"""`gpuopt cache`: where files are kept between compilations, and how much they take."""

from __future__ import annotations

import argparse
import os

from gpuopt_driver.cache import Cache
from gpuopt_driver.commands.show import show, show_json, warn
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.report.columns import size
from gpuopt_driver.store import refusals


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "--clear", action="store_true", help="remove everything but choices; it is made again when needed"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Show the cache, after clearing it if asked to."""
    for line in refusals(os.environ):
        warn(line)
    cache = Cache.find(os.environ)
    if cache is None:
        raise GpuoptError("no writable directory for a cache; set GPUOPT_CACHE_DIR to one")
    if arguments.clear:
        cache.clear()
    count, taken = sum(1 for _ in cache.files()), cache.size_bytes()
    kinds = cache.kinds()
    if arguments.json:
        by_kind = {name: {"files": files, "size_bytes": taken} for name, (files, taken) in kinds.items()}
        whole = {"directory": str(cache.root), "files": count, "size_bytes": taken, "cleared": arguments.clear}
        show_json({**whole, "kinds": by_kind})
    else:
        show([f"{cache.root}: {count} files, {size(taken)}{' (cleared)' if arguments.clear else ''}"])
        show([f"  {name}: {files} files, {size(taken)}" for name, (files, taken) in kinds.items()])
    return 0
