"""Policies that nobody wrote in good faith: each is read, or refused in one line with its place, without waiting."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from gpuopt_plugins.catt.options import Options
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuopt_driver.errors import PolicyError, one_line
from gpuopt_driver.hooks import PluginInfo
from gpuopt_driver.policy import check_plugins, load_policy
from gpuopt_driver.policy.load import default_text

_MB = 1 << 20
_DRIVER = "[driver]\n"


def refusal(directory: Path, text: str | bytes) -> str:
    """What is said of a policy file with these contents."""
    data = text if isinstance(text, bytes) else text.encode()
    (directory / "toolchain.toml").write_bytes(data)
    with pytest.raises(PolicyError) as caught:
        load_policy(["a.cu"], env={}, cwd=str(directory))
    return one_line(str(caught.value))


REFUSED = {
    "no number": (_DRIVER + "plugin_seconds = nan", "2: plugin_seconds in [driver] must be a finite number"),
    "infinite": (_DRIVER + "plugin_seconds = inf", "2: plugin_seconds in [driver] must be a finite number"),
    "too long": (_DRIVER + "plugin_seconds = 1e308", "2: plugin_seconds in [driver] must be at most 86400.0, not"),
    "44 digits": (_DRIVER + f"memory_mb = {'9' * 44}", "2: memory_mb in [driver] must be a finite number of at most"),
    "400 digits": (_DRIVER + f"plugin_seconds = {'9' * 400}", "2: plugin_seconds in [driver] must be a finite number"),
    "5000 digits": (_DRIVER + f"\nmemory_mb = {'9' * 5000}", "3: not usable TOML: a number has too many digits"),
    "5000 hexadecimal": (_DRIVER + f"memory_mb = 0x{'f' * 5000}", "2: memory_mb in [driver] must be a finite number"),
    "negative": (_DRIVER + "memory_mb = -5", "2: memory_mb in [driver] must be at least 100, not -5"),
    "a date": (_DRIVER + "plugin_seconds = 2020-01-01", "2: plugin_seconds in [driver] must be a number, not 2020"),
    "400 tables": ("[" + ".".join(["a"] * 400) + "]", " not usable TOML: more than 64 levels of nesting"),
    "400 inline tables": ("x = " + "{a=" * 300 + "1" + "}" * 300, " not usable TOML: "),
    "20000 arrays": ("x = " + "[" * 20000 + "]" * 20000, " not usable TOML: tables, arrays or keys are nested"),
    "keys of 1000 parts": ("plugins." + ".".join(["a"] * 1000) + " = 1", " not usable TOML: "),
    "60000 tables": ("".join(f"[t{number}]\n" for number in range(60000)), "1: unknown table 't0' in the file"),
    "a NUL": ('x = "a\0b"', "1: not TOML: Illegal character"),
    "UTF-16": (_DRIVER.encode("utf-16"), "1: not UTF-8 text (byte 0)"),
    "Latin 1": (b"[driver]\nnvcc = '\xe9'", "2: not UTF-8 text (byte 17)"),
    "two keys": (_DRIVER + "verbose = true\nverbose = false", "3: not TOML: "),
    "no name": (_DRIVER + '"" = 1', "2: unknown key '' in [driver]; valid: "),
    "nearly": ("[divers]", "1: unknown table 'divers' in the file; did you mean 'driver'?"),
    "a line break": (_DRIVER + '"back\\nend" = 1', "2: unknown key 'back end' in [driver]; did you mean 'backend'?"),
    "an escape in a name": ('[gpu]\nname = "\\u001b[31m"', "2: unknown GPU '\\x1b[31m'; `gpuopt gpus` lists them"),
    "a NUL in a path": ('[gpu]\nname = "a\\u0000.toml"', "2: a\\x00.toml: no such GPU file"),
    "a path of 6000 letters": (f'[gpu]\nname = "{"a/" * 3000}"', "2: a/a/"),
    "a long key": (_DRIVER + "a" * 100000 + " = 1", f"2: unknown key '{'a' * 57}...' in [driver]; valid: "),
    "more than a megabyte": ("#" + "x" * _MB, " cannot read policy: larger than 1 MB"),
    "60000 rules": ('[[kernel]]\nname="x"\ncatt={enabled=false}\n' * 60000, " cannot read policy: larger than 1 MB"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_in_one_line_with_its_place(tmp_path: Path, text: str | bytes, said: str) -> None:
    line = refusal(tmp_path, text)
    assert line.startswith(f"toolchain.toml:{said}")
    assert line.isprintable()
    assert len(line) < 1000


@pytest.mark.parametrize("before", ["\ufeff", "\r\n", "# \u2028\n"])
def test_what_is_only_unusual_is_read(tmp_path: Path, before: str) -> None:
    text = before + default_text().replace("\n", "\r\n")
    assert "plugin_seconds = 20" in text
    (tmp_path / "toolchain.toml").write_bytes(text.encode())
    assert load_policy(["a.cu"], env={}, cwd=str(tmp_path)).driver.plugin_seconds == 20


def _bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2 << 30)


PLACES = {
    "pipe": (os.mkfifo, "a pipe, not a regular file"),
    "loop": (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
    "link to nothing": (lambda path: path.symlink_to("nowhere"), "No such file or directory"),
    "directory": (Path.mkdir, "a directory, not a regular file"),
    "endless device": (lambda path: path.symlink_to("/dev/zero"), "a device, not a regular file"),
    "socket": (_bind, "a socket, not a regular file"),
    "two gigabytes": (_sparse, "larger than 1 MB"),
    "memory of a process": (lambda path: path.symlink_to("/proc/self/mem"), "Input/output error"),
}


@pytest.mark.parametrize(("make", "said"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("how", ["found", "named", "by variable"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, monkeypatch, make, said: str, how: str) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    make(Path("toolchain.toml"))
    named = "toolchain.toml" if how == "named" else None
    env = {"GPUOPT_POLICY": "toolchain.toml"} if how == "by variable" else {}
    if how == "found" and make in (PLACES["loop"][0], PLACES["endless device"][0]):  # others could have put it there
        assert "toolchain.toml: not used as a policy: " in load_policy(["a.cu"], env=env, cwd=str(tmp_path)).refused
        return
    with pytest.raises(PolicyError) as caught:
        load_policy(["a.cu"], explicit=named, env=env, cwd=str(tmp_path))
    assert str(caught.value).startswith(f"toolchain.toml: cannot read policy: {said}; correct or remove it")


@pytest.mark.parametrize("value", ["nan", "1e400", "9" * 44, "-" + "9" * 44])
def test_options_of_plugins_are_held_to_the_same(tmp_path: Path, value: str) -> None:
    (tmp_path / "toolchain.toml").write_text(f"[plugins.catt]\nmargin = {value}\n")
    policy = load_policy(["a.cu"], env={}, cwd=str(tmp_path))
    with pytest.raises(PolicyError, match=r"^toolchain.toml:2: margin in \[plugins.catt\] must be a finite number"):
        check_plugins(policy, [PluginInfo("catt", "", {}, Options)])


_KEYS = st.sampled_from(
    ["driver", "gpu", "phase", "plugins", "kernel", "catt", "name", "source", "enabled", "backend", "plugin_seconds"]
) | st.from_regex(r'[a-z]{1,3}|"[^"\\\n\x00-\x1f\x7f]{0,3}"', fullmatch=True)
_VALUES = st.recursive(
    st.sampled_from(
        ["1", "-1", "0x7fffffffffffffffff", "1e400", "nan", "-inf", "true", '""', '"h200"', '"\\n"', "''", "1979-05-27"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]")
        | st.lists(st.tuples(_KEYS, inner), max_size=2).map(
            lambda pairs: "{" + ", ".join(f"{key} = {value}" for key, value in pairs) + "}"
        )
    ),
    max_leaves=6,
)
_PATHS = st.lists(_KEYS, min_size=1, max_size=3).map(".".join)
_LINES = (
    st.tuples(_PATHS, _VALUES).map(" = ".join)
    | _PATHS.map(lambda path: f"[{path}]")
    | _PATHS.map(lambda path: f"[[{path}]]")
    | st.text(max_size=5)
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_LINES, max_size=8).map("\n".join))
def test_any_text_is_a_policy_or_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    directory = tmp_path_factory.getbasetemp() / "fuzz"
    directory.mkdir(exist_ok=True)
    (directory / "toolchain.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        check_plugins(load_policy(["a.cu"], env={}, cwd=str(directory)), [])
    except PolicyError as error:
        line = one_line(str(error))
        assert line.startswith("toolchain.toml:")
        assert line.isprintable()
