"""docs/variables.md names every variable that built programs read, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "variables.md"
DRIVER = ROOT / "gpuopt_driver"
# What is pasted into patched sources, and what emulated programs are linked with.
IN_PROGRAMS = ("learning", "variants", "emulator/runtime", "emulator/include")
READ = re.compile(r'\b(?:getenv|number_setting|chosen)\(\s*"(GPUOPT_\w+)"')
ROW = re.compile(r"^\| `(GPUOPT_\w+)` \|.*\|$", re.MULTILINE)


def rows() -> dict[str, str]:
    """The line of each variable in the page."""
    return {found[1]: found[0] for found in ROW.finditer(PAGE.read_text(encoding="utf-8"))}


def read_by_programs() -> set[str]:
    files = [path for name in IN_PROGRAMS for path in (DRIVER / name).rglob("*") if path.suffix in (".h", ".cpp")]
    return {name for path in files for name in READ.findall(path.read_text(encoding="utf-8"))}


def test_the_page_names_what_programs_read() -> None:
    read = read_by_programs()
    assert {"GPUOPT_DISPATCH", "GPUOPT_LEARN", "GPUOPT_EMU_MODE", "GPUOPT_EMU_SEED", "GPUOPT_EMU_L2"} <= read
    assert sorted(rows()) == sorted(read)


def test_the_emulator_knows_the_same_names() -> None:
    text = (DRIVER / "emulator" / "runtime" / "settings.cpp").read_text(encoding="utf-8")
    found = re.search(r"names\[\] = \{(.*?)\}", text, re.DOTALL)
    assert found is not None
    known = {f"GPUOPT_EMU_{name}" for name in re.findall(r'"(\w+)"', found[1])}
    assert known - {"GPUOPT_EMU_PORTABLE"} == {name for name in rows() if name.startswith("GPUOPT_EMU_")}


def test_each_is_explained_on_the_page_that_it_leads_to() -> None:
    for name, line in rows().items():
        pages = re.findall(r"\]\((\S+?\.md)\)", line)
        assert pages, line
        assert all(name in (PAGE.parent / page).read_text(encoding="utf-8") for page in pages), line


def test_words_that_the_emulator_takes_are_those_of_the_page() -> None:
    text = (DRIVER / "emulator" / "runtime" / "model_settings.cpp").read_text(encoding="utf-8")
    lists = {
        name: re.findall(r'\{"([\w-]+)",', body)
        for name, body in re.findall(r"(\w+)\[\] = \{(.*?)\};", text, re.DOTALL)
    }
    asked = re.findall(r'chosen\("(GPUOPT_\w+)", (\w+)', text)
    assert len(asked) == 5
    for name, of in asked:
        line = rows()[name]
        assert lists[of]
        assert "the same" in line or all(f"`{word}`" in line for word in lists[of]), line


def test_readers_find_the_page() -> None:
    assert "docs/variables.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(variables.md)" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
