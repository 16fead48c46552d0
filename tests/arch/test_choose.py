"""Which GPU stands for a command line, and what is said where none does."""

from __future__ import annotations

import pytest

from gpuopt_driver.arch import choose as module
from gpuopt_driver.arch import load_arch
from gpuopt_driver.arch.choose import choose


@pytest.mark.parametrize(
    ("gpu", "capabilities", "name"),
    [
        ("auto", (), "h200"),
        ("auto", (90,), "h200"),
        ("auto", (70, 80), "a100"),
        ("titan-v", (90,), "titan-v"),
        ("titan-v", (999,), "titan-v"),
    ],
)
def test_a_file_stands_for_it(gpu: str, capabilities: tuple[int, ...], name: str) -> None:
    choice = choose(gpu, capabilities)
    assert (choice.arch.name, choice.note, choice.unknown, choice.stands) == (name, "", "", True)


@pytest.mark.parametrize(
    ("capabilities", "name", "said"),
    [
        ((61,), "p100", "no GPU file stands for sm_61: decided for p100 (compute capability 6.0)"),
        ((72,), "titan-v", "no GPU file stands for sm_72: decided for titan-v (compute capability 7.0)"),
        ((80, 999), "a100", "no GPU file stands for sm_999: decided for a100 (compute capability 8.0)"),
        ((110, 999, 90), "h200", "no GPU file stands for sm_110, sm_999: decided for h200 (compute capability 9.0)"),
    ],
)
def test_the_nearest_of_a_generation_is_taken_and_named(capabilities: tuple[int, ...], name: str, said: str) -> None:
    choice = choose("auto", capabilities)
    assert (choice.arch.name, choice.note, choice.stands) == (name, said, True)


def test_the_lower_one_of_two_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {80: load_arch("a100"), 86: load_arch("a6000")}
    monkeypatch.setattr(module, "load_all", lambda: tuple(files.values()))
    monkeypatch.setattr(module, "arch_for_capability", files.get)
    taken = {capability: choose("auto", (capability,)).arch.name for capability in (81, 83, 84, 89)}
    assert taken == {81: "a100", 83: "a100", 84: "a6000", 89: "a6000"}


@pytest.mark.parametrize("capabilities", [(110,), (999,), (110, 130)])
def test_where_none_is_near_nothing_is_decided(capabilities: tuple[int, ...]) -> None:
    choice = choose("auto", capabilities)
    names = ", ".join(f"sm_{one}" for one in capabilities)
    assert choice.unknown == f"no GPU file stands for {names}"
    assert choice.note.startswith(f"{choice.unknown}: nothing that rests on a GPU's figures is decided; ")
    assert not choice.stands
