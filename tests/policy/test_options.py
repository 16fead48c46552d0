"""Plugin tables to options dataclasses, and the policy's plugin names against the plugins that there are."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from gpuopt_driver.errors import PolicyError
from gpuopt_driver.hooks import PluginInfo
from gpuopt_driver.policy import bind_options, check_plugins, is_enabled, load_policy, phases_of
from gpuopt_driver.policy.schema import Origin, PluginPolicy


@dataclass(frozen=True)
class Options:
    model: str = field(default="auto", metadata={"choices": ("auto", "paper", "sectored")})
    margin: float = field(default=1.25, metadata={"minimum": 1.0, "maximum": 10.0})
    groups: int = 8
    careful: bool = True
    factors: tuple[int, ...] = field(default=(2, 4), metadata={"minimum": 1})
    names: tuple[str, ...] = ()
    cap: int | None = None
    pair: tuple[int, float] = (1, 2.0)

    def __post_init__(self) -> None:
        if self.groups % 2:
            raise ValueError("groups must be even")


INFO = PluginInfo("catt", "throttles", {"CATT001": "x"}, Options)
PLAIN = PluginInfo("plain", "no options", {})


def bound(tmp_path, text):
    (tmp_path / "toolchain.toml").write_text(f"[plugins.catt]\n{text}\n")
    policy = load_policy([], env={}, cwd=str(tmp_path))
    check_plugins(policy, [INFO])
    return bind_options(INFO, policy.plugins["catt"])


def test_defaults():
    assert bind_options(INFO, PluginPolicy()) == Options()


def test_every_type(tmp_path):
    text = "model='paper'\nmargin=2\ngroups=4\ncareful=false\nfactors=[3,5]\nnames=['a']\ncap=7\npair=[3,4]"
    assert bound(tmp_path, text) == Options("paper", 2.0, 4, False, (3, 5), ("a",), 7, (3, 4.0))


WRONG = [
    ("modle = 'paper'", "unknown key 'modle' in [plugins.catt]; did you mean 'model'?"),
    ("enable = true", "unknown key 'enable' in [plugins.catt]; did you mean 'enabled'?"),
    ("model = 'papper'", 'model in [plugins.catt] must be one of "auto", "paper", "sectored", not "papper"; did you'),
    ("margin = 0.5", "margin in [plugins.catt] must be at least 1.0, not 0.5"),
    ("margin = 11", "margin in [plugins.catt] must be at most 10.0, not 11.0"),
    ("margin = '2'", 'margin in [plugins.catt] must be a number, not "2"'),
    ("groups = 2.0", "groups in [plugins.catt] must be an integer, not 2.0"),
    ("groups = true", "groups in [plugins.catt] must be an integer, not true"),
    ("groups = 3", "[plugins.catt]: groups must be even"),
    ("careful = 1", "careful in [plugins.catt] must be true or false, not 1"),
    ("factors = 2", "factors in [plugins.catt] must be an array, not 2"),
    ("factors = [2, 'x']", 'factors in [plugins.catt]: each element must be an integer, not "x"'),
    ("factors = [0]", "factors in [plugins.catt] must be at least 1, not 0"),
    ("names = [1]", "names in [plugins.catt]: each element must be a string, not 1"),
    ("cap = 'x'", 'cap in [plugins.catt] must be an integer, not "x"'),
    ("pair = [1]", "pair in [plugins.catt] must be an array of 2 elements, not 1"),
    ("pair = [1, true]", "pair in [plugins.catt]: each element must be a number, not true"),
    ("model = { a = 1 }", "model in [plugins.catt] must be a string, not a table"),
    ("model = 1979-05-27", "model in [plugins.catt] must be a string, not 1979-05-27"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text for text, _ in WRONG])
def test_wrong_options_are_one_line_with_their_place(tmp_path, text, message):
    with pytest.raises(PolicyError) as caught:
        bound(tmp_path, text)
    assert str(caught.value).startswith(f"toolchain.toml:2: {message}")


def test_a_plugin_without_options(tmp_path):
    assert bind_options(PLAIN, PluginPolicy()) is None
    policy = PluginPolicy(options={"x": 1}, origins={"x": Origin("toolchain.toml", 3)})
    with pytest.raises(
        PolicyError, match=r"^toolchain.toml:3: unknown key 'x' in \[plugins.plain\]; it has no options$"
    ):
        bind_options(PLAIN, policy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n[plugins.cat]\n", "2: unknown plugin 'cat'; did you mean 'catt'?"),
        ("[plugins.zzzzz]\n", "1: unknown plugin 'zzzzz'; installed: catt, plain"),
        ("[[phase]]\nplugins = ['plane']", "2: unknown plugin 'plane'; did you mean 'plain'?"),
        ("[[kernel]]\n[kernel.plugins.kat]", "2: unknown plugin 'kat'; did you mean 'catt'?"),
        ("[[kernel]]\nplugins.catt.mrgin = 1", "2: unknown key 'mrgin' in [plugins.catt]; did you mean 'margin'?"),
    ],
)
def test_plugins_that_are_not_there(tmp_path, text, message):
    (tmp_path / "toolchain.toml").write_text(text)
    policy = load_policy([], env={}, cwd=str(tmp_path))
    with pytest.raises(PolicyError) as caught:
        check_plugins(policy, [INFO, PLAIN])
    assert str(caught.value) == f"toolchain.toml:{message}"


def test_a_plugin_that_was_not_loaded_is_no_error_of_the_policy(tmp_path):
    (tmp_path / "toolchain.toml").write_text("[plugins.vtb]\nx = 1\n[[phase]]\nplugins = ['vtb', 'catt']\n")
    check_plugins(load_policy([], env={}, cwd=str(tmp_path)), [INFO], absent={"vtb"})


def test_phases_hold_every_plugin_ours_first(tmp_path):
    names = ["zebra", "vtb", "alpha", "catt"]
    policy = load_policy([], env={}, cwd="/")
    assert [phase.plugins for phase in phases_of(policy, names)] == [("catt", "vtb", "alpha", "zebra")]
    (tmp_path / "toolchain.toml").write_text("[[phase]]\nname='mine'\nplugins=['alpha', 'vtb']")
    policy = load_policy([], env={}, cwd=str(tmp_path))
    phases = phases_of(policy, names)
    assert [(phase.name, phase.plugins) for phase in phases] == [
        ("mine", ("alpha", "vtb")),
        ("others", ("catt", "zebra")),
    ]
    assert phases_of(policy, ["alpha", "vtb"]) == policy.phases


def test_plugins_that_change_results_run_only_when_asked():
    reorders = PluginInfo("sums", "reorders sums", {}, changes_results=True)
    written = PluginPolicy(True, origins={"enabled": Origin("toolchain.toml", 2)})
    assert not is_enabled(reorders, PluginPolicy())
    assert is_enabled(reorders, written)
    assert is_enabled(INFO, PluginPolicy())
    assert not is_enabled(INFO, PluginPolicy(False))
