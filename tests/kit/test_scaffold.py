"""`gpuopt new-plugin` writes a plugin whose tests pass at once, or nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.errors import UsageError
from gpuopt_driver.scaffold import create


def run(*words: str, target: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(target)}
    return subprocess.run([*words], env=env, cwd=cwd, capture_output=True, text=True, timeout=280, check=False)


def test_the_new_plugin_installs_is_found_and_passes_its_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], host_compiler: str
) -> None:
    assert main(["new-plugin", "my_bounds", str(tmp_path)]) == 0
    made = tmp_path / "gpuopt-my-bounds"
    assert str(made) in capsys.readouterr().out
    target = tmp_path / "site"
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    done = run(sys.executable, *pip, "--target", str(target), str(made), target=target, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run(sys.executable, "-m", "gpuopt_driver", "plugins", "--json", target=target, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {plugin["name"]: plugin for plugin in json.loads(done.stdout)["plugins"]}
    assert found["my_bounds"]["source"] == "gpuopt-my-bounds 0.1.0"
    assert found["my_bounds"]["hooks"] == ["gpuopt_describe", "gpuopt_analyze", "gpuopt_propose"]
    assert [option["name"] for option in found["my_bounds"]["options"]] == ["largest_block"]
    done = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(made), target=target, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "7 passed" in done.stdout


def test_no_word_of_the_template_is_left(tmp_path: Path) -> None:
    made = create("x1", tmp_path)
    files = [path for path in made.rglob("*") if path.is_file()]
    assert {"__init__.py", "analyze.py", "rewrite.py", "test_cases.py", "README.md"} <= {path.name for path in files}
    assert not any(path.name.endswith(".in") for path in files)
    assert not [path for path in files if re.search(r"@\w+@", path.read_text())]
    code = [path.read_text() for path in (made / "gpuopt_x1").glob("*.py")]
    assert sum(text.count("\n") for text in code) < 150
    assert list(tmp_path.iterdir()) == [made]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("My-Plugin", "lower-case letters, digits and _ only, a letter first; did you mean 'my_plugin'?"),
        ("1st", "'1st' cannot name a plugin"),
        ("class", "'class' cannot name a plugin"),
        ("", "'' cannot name a plugin"),
        ("é", "'é' cannot name a plugin"),
        ("../up", "did you mean 'up'?"),
        ("testing", "gpuopt itself has that name"),
        ("catt", "a plugin 'catt' is installed already, by gpuopt-driver"),
    ],
)
def test_a_bad_name_is_refused_with_one_line(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        create(name, tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_taken_or_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gpuopt-mine").mkdir()
    with pytest.raises(UsageError, match="gpuopt-mine exists"):
        create("mine", tmp_path)
    assert not list((tmp_path / "gpuopt-mine").iterdir())
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is no directory"):
        create("mine", tmp_path / "file")
