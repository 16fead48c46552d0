"""The documentation is run and compared with what it is about."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from gpuopt_driver import hooks, testing
from gpuopt_driver.cli import COMMANDS
from gpuopt_driver.plugins import HOOKS, load_plugins
from gpuopt_driver.report.model import Finding
from gpuopt_driver.variants.model import PLAN_SLOTS

ROOT = Path(__file__).parents[2]
DOCS = sorted(
    [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]
)
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
_BLOCK = re.compile(r"((?:<!-- [^\n]* -->\n)*)```(\w+)\n(.*?)```\n", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block with the comments in front of it: `in: FILE`, `file: FILE`, `old`, `new`."""

    language: str
    text: str
    notes: tuple[str, ...]

    def note(self, key: str) -> str:
        return next((note[len(key) + 1 :].strip() for note in self.notes if note.startswith(f"{key}:")), "")


def blocks(path: Path) -> list[Block]:
    found = _BLOCK.findall(path.read_text(encoding="utf-8"))
    return [Block(language, text, tuple(re.findall(r"<!-- (.*?) -->", notes))) for notes, language, text in found]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def shell(script: str, directory: Path, site: Path) -> str:
    """Run a block as a reader would, who stays where the last one ended.

    `pip install -e` works without a network and leaves the environment alone.
    """
    stays = site.parent / "stays"
    here = stays.read_text().strip() if stays.exists() else str(directory)
    prelude = f"""set -euo pipefail
trap 'pwd > "{stays}"' EXIT
pip() {{
    local place=${{@: -1}}
    "$PYTHON" -m pip install --quiet --no-deps --no-build-isolation --target '{site}' "${{place%\\[*}}"
    find '{site}' -maxdepth 1 -name 'gpuopt_*' ! -name '*-info' -exec rm -r {{}} +
}}
pytest() {{ "$PYTHON" -m pytest -p no:cacheprovider "$@"; }}
gpuopt() {{ "$PYTHON" -m gpuopt_driver "$@"; }}
"""
    paths = os.pathsep.join([str(site), str(directory / "gpuopt-bounds")])
    env = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": paths, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # importing others' plugins takes half of the time of its start
    words = ["bash", "-c", prelude + script]
    done = subprocess.run(words, cwd=here, env=env, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.timeout(600)
def test_the_tutorial_works_as_written(tmp_path: Path, host_compiler: str) -> None:
    site = tmp_path / "site"
    said, old = "", ""
    for block in blocks(ROOT / "docs" / "writing-plugins.md"):
        ours = block.note("in").startswith("plugins/")  # shown, not made
        shown = (ROOT if ours else tmp_path) / block.note("in")
        if "not run" in block.notes:
            assert block.language == "sh"  # the reader's own environment
        elif block.note("file"):
            (tmp_path / block.note("file")).write_text(block.text)
        elif "old" in block.notes:
            old = block.text
            assert old in shown.read_text()
        elif "new" in block.notes:
            shown.write_text(shown.read_text().replace(old, block.text))
        elif block.note("in"):
            assert block.text in shown.read_text(), f"{block.note('in')} does not have\n{block.text}"
        elif block.language == "sh":
            said = shell(block.text, tmp_path, site)
        else:
            assert block.language == "output"
            for line in block.text.splitlines():
                assert line in said, said


def test_every_hook_and_every_field_of_its_values_is_explained() -> None:
    page = text("docs/writing-plugins.md")
    assert [name for name in HOOKS if f"`{name}(" not in page] == []
    for cls in (hooks.PluginInfo, hooks.Context, hooks.Proposal, Finding):
        missing = [item.name for item in fields(cls) if not re.search(rf"`{item.name}`", page)]
        assert missing == [], cls.__name__
    documented = set(re.findall(r"^\| `(\w+)\(", page, re.MULTILINE)) | set(
        re.findall(r"^\| `(\w+)\(\)", page, re.MULTILINE)
    )
    assert set(HOOKS) <= documented
    kit = {name for name in testing.__all__ if name[0].islower()}
    assert kit <= documented


def test_every_command_is_mentioned() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS)
    assert [name for name in COMMANDS if f"gpuopt {name}" not in pages] == []


SHARED_PAGES = {"cta_clustering": "cta", "cta_mapping": "cta"}


@pytest.mark.parametrize("plugin", [item for item in load_plugins().loaded if item.module.startswith("gpuopt_plugins")])
def test_every_code_and_option_of_our_plugins_is_documented(plugin) -> None:
    name = SHARED_PAGES.get(plugin.name, plugin.name.replace("_", "-"))
    page = text(f"docs/{name}.md")
    assert [code for code in plugin.info.codes if code not in page] == []
    options = fields(plugin.info.options) if plugin.info.options else ()
    assert [item.name for item in options if f"`{item.name}`" not in page] == []
    assert f"docs/{name}.md" in text("README.md")


def test_every_environment_variable_is_documented() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS)
    used: set[str] = set()
    for path in (ROOT / "gpuopt_driver").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.update(re.findall(r"^GPUOPT_[A-Z_]+$", node.value))
    native = [path for path in (ROOT / "gpuopt_driver").rglob("*") if path.suffix in (".c", ".cpp", ".h")]
    for path in native:
        used.update(re.findall(r'getenv\("(GPUOPT_\w+)"\)', path.read_text(encoding="utf-8")))
    internal = re.compile(r"GPUOPT_RT(_\w+)?|\w+_$")  # words of the patched source
    assert sorted(name for name in used if name not in pages and not internal.fullmatch(name)) == []


def anchors(path: Path) -> set[str]:
    """The names that GitHub gives a page's headings."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", [*DOCS, RESULTS], ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", path.read_text(encoding="utf-8"))
    pages = [(path.parent / target if target else path, anchor) for target, anchor in targets]
    assert [str(page) for page, _ in pages if not page.exists()] == []
    assert [anchor for page, anchor in pages if anchor and anchor not in anchors(page)] == []


def test_every_result_is_in_the_contents() -> None:
    contents, *sections = re.split(r"^## ", RESULTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [item.split("\n")[0] for item in sections if f"[{item.split(chr(10))[0]}](#" not in contents] == []


def test_every_page_is_linked_from_the_index() -> None:
    index = text("docs/README.md")
    pages = [path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"]
    assert [name for name in pages if f"({name})" not in index] == []
    assert "(docs/README.md)" in text("README.md")


def test_the_readme_is_short() -> None:
    assert len(text("README.md").splitlines()) <= 120


def structure(name: str, header: str) -> set[str]:
    """The data members of a struct of the runtime header."""
    body = re.search(rf"^struct {name} \{{(.*?)^\}};", header, re.DOTALL | re.MULTILINE)
    assert body is not None
    plain = re.sub(r"//[^\n]*", "", body.group(1))
    plain = re.sub(r"^  \w[^;{}=]*\) const \{.*?^  \}", "", plain, flags=re.DOTALL | re.MULTILINE)  # member functions
    plain = re.sub(r" = [^;]*", "", plain)  # initialisers
    return set(re.findall(r"(\w+)(?:\[\w+\])?(?=\s*[,;])", plain))


def test_what_a_guard_may_use_is_what_the_runtime_has() -> None:
    page = text("docs/variants.md")
    header = text("gpuopt_driver/variants/launch.h")
    for name in ("launch", "choice"):
        rows = set(re.findall(rf"^\| `gpuopt_{name[0]}\.(\w+)`", page, re.MULTILINE))
        assert rows == structure(name, header) - {"away", "aways"}  # what past_l1() looks into
    assert f"n[{PLAN_SLOTS}]" in header
    for function in re.findall(r"`gpuopt_rt::(\w+)\(", page):
        assert re.search(rf"\b{function}\(", header), function


def test_every_part_has_its_place_in_the_architecture() -> None:
    page = text("docs/architecture.md")
    parts = [
        path.stem
        for path in (ROOT / "gpuopt_driver").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    ]
    assert sorted(name for name in parts if name != "__init__" and not re.search(rf"`{name}(\.py|/)?`", page)) == []
