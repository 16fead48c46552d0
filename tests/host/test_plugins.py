"""Plugins are checked when they are loaded, called alone, and limited in time."""

from __future__ import annotations

import re
import sys
import threading
import time
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from gpuopt_driver import isolate
from gpuopt_driver.errors import PluginError
from gpuopt_driver.hooks import PluginInfo, hookimpl
from gpuopt_driver.plugins import no_plugins, register


@dataclass(frozen=True)
class Options:
    depth: int = 1


@dataclass
class Thawed:
    depth: int = 1


def plugin(name: str = "mine", **hooks: object) -> SimpleNamespace:
    @hookimpl
    def gpuopt_describe() -> PluginInfo:
        return PluginInfo(name, "a plugin of the tests", {"MINE001": "it is so"}, Options)

    made = {"gpuopt_describe": gpuopt_describe, **hooks}
    return SimpleNamespace(__name__=f"tests.{name}", **made)


def test_a_plugin_is_known_by_name_source_and_hooks() -> None:
    plugins = register(register(no_plugins(), "zeta", plugin("zeta")), "mine", plugin())
    assert plugins.names == ("mine", "zeta")
    found = plugins.get("mine")
    assert found is not None
    assert (found.hooks, found.source, found.info.options) == (("gpuopt_describe",), "local", Options)
    assert plugins.get("other") is None


def describe(value: object) -> object:
    @hookimpl
    def gpuopt_describe() -> object:
        if isinstance(value, Exception):
            raise value
        return value

    return gpuopt_describe


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (SimpleNamespace(__name__="bare"), "does not implement gpuopt_describe"),
        (plugin(gpuopt_describe=describe(None)), "returned NoneType, not PluginInfo"),
        (plugin(gpuopt_describe=describe(ValueError("bad\nday"))), "raised ValueError"),
        (plugin(gpuopt_describe=describe(PluginInfo("theirs", "", {}))), "describes itself as 'theirs'"),
        (plugin(gpuopt_describe=describe(PluginInfo("mine", "", {}, Thawed))), "not a frozen dataclass"),
        (plugin(gpuopt_describe=describe(PluginInfo("mine", "", {}, figures={"n": 1}))), "figures are not texts"),
    ],
)
def test_a_wrong_plugin_is_refused_with_its_name(module: object, reason: str) -> None:
    with pytest.raises(PluginError, match=reason) as caught:
        register(no_plugins(), "mine", module)
    assert "plugin mine" in str(caught.value)


def test_a_misspelt_hook_is_refused_and_leaves_nothing_behind() -> None:
    @hookimpl
    def gpuopt_analyse(kernel: object) -> None: ...

    @hookimpl
    def gpuopt_propose(kernels: object) -> None: ...

    plugins = no_plugins()
    there = "there is no hook 'gpuopt_analyse'; did you mean 'gpuopt_analyze'?"
    with pytest.raises(PluginError, match=re.escape(there)):
        register(plugins, "mine", plugin(gpuopt_analyse=gpuopt_analyse))
    takes = "gpuopt_propose has no argument kernels: it may take kernel, context, facts"
    with pytest.raises(PluginError, match=takes):
        register(plugins, "mine", plugin(gpuopt_propose=gpuopt_propose))
    with pytest.raises(PluginError, match="its gpuopt_check lacks @hookimpl, without which it is never called"):
        register(plugins, "mine", plugin(gpuopt_check=lambda kernel, context, proposal: None))
    assert register(plugins, "mine", plugin()).names == ("mine",)


def test_two_plugins_of_one_name_are_refused() -> None:
    plugins = register(no_plugins(), "mine", plugin())
    with pytest.raises(PluginError, match="already registered"):
        register(plugins, "mine", plugin())


def test_a_call_gives_value_failure_and_time() -> None:
    good = isolate.call(lambda: 41 + 1, 5)
    assert (good.value, good.failure) == (42, "")
    bad = isolate.call(lambda: {}["key"], 5)
    assert bad.failure.startswith("raised KeyError: 'key' (")
    assert __file__ in bad.failure


def test_a_call_that_hangs_is_given_up() -> None:
    started = time.perf_counter()
    slow = isolate.call(lambda: time.sleep(30), 0.05)
    assert slow.failure == "ran longer than 0.05 s"
    assert time.perf_counter() - started < 10


def test_a_call_that_spins_is_stopped() -> None:
    ticks = []

    def spin() -> None:
        while True:
            ticks.append(1)
            if len(ticks) > 1000:
                ticks.clear()

    assert "ran longer" in isolate.call(spin, 0.05).failure
    deadline = time.perf_counter() + 20
    while any(worker.name == "gpuopt-plugin" and worker.is_alive() for worker in _spinning()):
        assert time.perf_counter() < deadline
        time.sleep(0.01)


def _spinning() -> list:
    frames = sys._current_frames()
    return [
        worker
        for worker in threading.enumerate()
        if worker.ident in frames and frames[worker.ident].f_code.co_name == "spin"
    ]
