"""docs/policy.md and the shipped file against the code: every key, every plugin option, and examples that load."""

from __future__ import annotations

import json
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
    is_plain_number = isinstance(default, int | float) and not isinstance(default, bool)
    shown = str(default) if is_plain_number else json.dumps(default)  # TOML writes both alike
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
    """Options stand there commented out, so that a default can change without every user's file changing."""
    text = re.sub(r"(?m)^# (\w+ = .*  #)", r"\1", default_text())
    (tmp_path / "toolchain.toml").write_text(text)
    shipped = tomli.loads(text)["plugins"]
    ours = {plugin.name: plugin.info for plugin in load_plugins().loaded if plugin.name in ORDER}
    if not ours:
        pytest.skip("our plugins are not installed")
    assert set(shipped) == set(ours)
    check_plugins(load_policy([], env={}, cwd=str(tmp_path)), ours.values())
    for name, info in ours.items():
        defaults = {item.name: item.default for item in fields(info.options)} if info.options else {}
        written = {key: tuple(value) if isinstance(value, list) else value for key, value in shipped[name].items()}
        assert written == {"enabled": True, **defaults}, name
