"""docs/commands.md names every command and option."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

import pytest

from gpuopt_driver.cli import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs/commands.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name):
    parser = argparse.ArgumentParser(prog=f"gpuopt {name}")
    import_module(f"gpuopt_driver.commands.{name.replace('-', '_')}").add_arguments(parser)
    assert f"| `gpuopt {name}" in PAGE
    options = {option for action in parser._actions for option in action.option_strings} - {"-h", "--help"}
    assert all(option in PAGE for option in options)
