"""Docs and messages say what docs/glossary.md says: no words of its right column, where these can mean nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuopt_driver import host
from gpuopt_driver.plugins import load_plugins

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
OTHERS = ("README.md", "CONTRIBUTING.md", "examples/README.md")
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *(ROOT / name for name in OTHERS)]
# Words of the right column where nothing else can be meant (repositories have clones, blocks take turns).
MEANT = {
    "variant": r"variants?",
    "clone": r"clones? of (?:a|the|its) kernels?|kernel clones?",
    "copy": r"cop(?:y|ies) of (?:a|the|its|this|that) kernels?",
    "pick": r"pick(?:s|ed|ing)?",
    "twin": r"twins?",
    "shim": r"launch shims?|kernel's shims?",
    "door": r"doors?",
    "turn": r"turns? of (?:a|the|its|each|that) loops?|from turn to turn|(?:each|every|per) turn(?! of)(?! is)",
    "fission": r"fissions?",
    "translation unit": r"translation units?",
    "threads abreast": r"threads abreast",
    "cast with a function's face": r"function's face",
    "what is no number": r"what is no number",
}
ELSE = {"turn": {"docs/vtb.md"}}  # there, blocks have them
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`|\]\([^)\s]*\)|[\w-]+\.md\b|<!--.*?-->", re.MULTILINE | re.DOTALL)
_EMITTED = re.compile(r"::|->|\bstatic \w|\bstruct |gpuopt_[a-z]|\{ ")  # C++ for patched sources
_EXAMPLE = re.compile(r"^Example: .*", re.MULTILINE | re.DOTALL)


def prose(page: str) -> str:
    """A page without code and the targets of links; its lines keep their numbers."""
    return _CODE.sub(lambda found: "\n" * found[0].count("\n"), page)


def misused(text: str, where: str = "") -> list[str]:
    """Words of the right column in a text, with their lines."""
    forms = (form for word, form in MEANT.items() if where not in ELSE.get(word, ()))
    found = (one for form in forms for one in re.finditer(rf"\b(?:{form})\b", text, re.IGNORECASE))
    return [f"{where}:{text.count(chr(10), 0, one.start()) + 1}: {one[0]}" for one in found]


def messages(module: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that people may read, with their lines: no docstrings, and no C++."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    docstrings = {id(item.value) for item in first if isinstance(item, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            text = _EXAMPLE.sub("", node.value)
            if " " in text.strip() and not _EMITTED.search(text):
                yield node.lineno, text


def test_the_words_are_those_of_the_right_column() -> None:
    rows = [line.rsplit("|", 2)[1] for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line[:3] == "| *"]
    words = {word.strip() for row in rows for word in row.split(",")}
    assert set(MEANT) <= words


@pytest.mark.parametrize("page", [page for page in PAGES if page != GLOSSARY], ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    assert misused(prose(page.read_text(encoding="utf-8")), str(page.relative_to(ROOT))) == []


def test_findings_codes() -> None:
    texts = {code: text for plugin in load_plugins().loaded for code, text in plugin.info.codes.items()} | host.CODES
    assert [found for code, text in texts.items() for found in misused(_EXAMPLE.sub("", text), code)] == []


def test_messages() -> None:
    modules = [*sorted((ROOT / "gpuopt_driver").rglob("*.py")), *sorted((ROOT / "plugins").rglob("*.py"))]
    found = [
        f"{module.relative_to(ROOT)}:{line}: {wrong}"
        for module in modules
        for line, text in messages(module)
        for wrong in misused(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A door for each variant, picked by\nits twin.", ["variant", "picked", "twin", "door"]),
        ("`pick` in [variants.md](variants.md); blocks take turns, in turn; in a clone of this repository", []),
        ("what each turn of a loop reads; every turn asks", ["turn of a loop", "every turn"]),
    ],
)
def test_what_is_found(text: str, words: list[str]) -> None:
    assert sorted(found.rpartition(": ")[2] for found in misused(prose(text))) == sorted(words)
