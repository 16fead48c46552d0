"""Kernels all of whose launches stay as they are: read by plugins only where a policy has tables for kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy

PLUGINS = Path(__file__).parents[2] / "plugins"
CASES = {
    "catt": ("noop_runtime_launch", "l1_bytes = 16384\nmargin = 1.0\nminimum_warps = 1\n", "CATT020"),
    "cache_bypass": ("noop_macro_launch", "", "BYP020"),
    "constants": ("noop_macro", "", "CONST020"),
    "unified_memory": ("noop_launched_in_macro", "", "UNI020"),
}


@pytest.mark.parametrize(("plugin", "case"), CASES.items(), ids=CASES)
def test_they_say_that_no_launch_can_have_a_version(tmp_path: Path, plugin: str, case: tuple[str, str, str]) -> None:
    name, options, code = case
    source = tmp_path / "a.cu"
    source.write_bytes((PLUGINS / plugin / "cases" / f"{name}.cu").read_bytes())
    said = {}
    for table in ("", f'[[kernel]]\nsource = "*"\n{plugin}.enabled = true\n'):
        learn = "on" if plugin == "constants" else "off"
        policy = f'[gpu]\nname = "h200"\n[learn]\nmode = "{learn}"\n[plugins.{plugin}]\n{options}'
        (tmp_path / "toolchain.toml").write_text(policy + table)
        made = examine(str(source), [], load_policy([str(source)], env={}, cwd=str(tmp_path)))
        assert not made.patched
        said[bool(table)] = {item.code for item in made.report.findings if item.plugin == plugin}
    assert said == {False: {"GPUOPT016"}, True: {code}}
