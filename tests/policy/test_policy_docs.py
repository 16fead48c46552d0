"""docs/policy.md and the shipped file against the code: every key, every plugin option, and examples that load."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
import tomli

from gpuopt_driver.plugins import load_plugins
from gpuopt_driver.policy import check_plugins, load_policy
from gpuopt_driver.policy.load import _ENVIRONMENT, _FLAGS, _TABLES, default_text
from gpuopt_driver.policy.options import ORDER
from gpuopt_driver.policy.schema import DriverPolicy

PAGE = (Path(__file__).parents[2] / "docs/policy.md").read_text()


@pytest.mark.parametrize("key", [item.name for item in fields(DriverPolicy)])
def test_every_driver_key_is_documented_with_its_default(key):
    default = next(item.default for item in fields(DriverPolicy) if item.name == key)
    shown = {"": '""', False: "false"}.get(default, f'"{default}"' if isinstance(default, str) else str(default))
    assert f"| `{key}` | `{shown}` |" in PAGE


def test_every_table_variable_and_flag_is_documented():
    assert all(f"[{name}" in PAGE for name in _TABLES)
    assert all(f"`{name}`" in PAGE for name in _ENVIRONMENT)
    assert all(f"`--gpuopt-{name}=`" in PAGE for name in _FLAGS)


def test_the_documented_order_is_the_order():
    assert ", ".join(f"`{name}`" for name in ORDER) in PAGE


def test_examples_load(tmp_path):
    examples = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) >= 3
    (tmp_path / "toolchain.toml").write_text("\n".join(examples))
    policy = load_policy([], env={}, cwd=str(tmp_path))
    assert policy.phases
    assert policy.kernels


def test_the_shipped_file_shows_every_option_of_our_plugins_with_its_default(tmp_path):
    (tmp_path / "toolchain.toml").write_text(default_text())
    shipped = tomli.loads(default_text()).get("plugins", {})
    plugins = load_plugins()
    ours = {plugin.name: plugin for plugin in plugins.loaded if plugin.name in ORDER}
    if not ours:
        pytest.skip("our plugins are not installed")
    check_plugins(load_policy([], env={}, cwd=str(tmp_path)), [plugin.info for plugin in ours.values()])
    for name, plugin in ours.items():
        defaults = {item.name: item.default for item in fields(plugin.info.options)} if plugin.info.options else {}
        written = {key: tuple(value) if isinstance(value, list) else value for key, value in shipped[name].items()}
        assert written == {"enabled": True, **defaults}, name
