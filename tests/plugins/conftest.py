"""Makes `gpuopt_plugins` importable from a checkout that is not installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def _alias() -> None:
    if importlib.util.find_spec("gpuopt_plugins") is not None:
        return
    init = Path(__file__).resolve().parents[2] / "plugins" / "__init__.py"
    spec = importlib.util.spec_from_file_location("gpuopt_plugins", init, submodule_search_locations=[str(init.parent)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gpuopt_plugins"] = module
    spec.loader.exec_module(module)


_alias()
