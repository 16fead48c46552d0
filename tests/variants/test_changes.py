"""What `gpuopt diff` shows of a patch: what versions change in their kernels, and no launch side."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Examination
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.testing import cases, examine_case
from gpuopt_driver.variants.changes import changes
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin
from tests.variants.test_emit import SOURCES, STEP, examine, versions

KERNEL = """\
static __global__ void k(int *x)
{
    x[0] = 1;
    x[1] = 2;
}
void launch(int *x) { k<<<dim3(1, (2)), 32>>>(x); }
"""


@pytest.fixture(scope="module")
def combined() -> Examination:
    return examine(SOURCES / "combined.cu", versions())


def shown(made: Examination, name: str) -> list[str]:
    (path,) = (path for path in made.patched if Path(path).name == name)
    return changes(name, made.original[path], made.patched[path]).splitlines()


def test_each_version_is_what_differs_from_its_kernel(combined: Examination) -> None:
    """Namespaces, templates, C linkage, launches in front of kernels, attributes that are set: none is shown."""
    lines = shown(combined, "combined.cu")
    titles = [line.split("@@")[2].strip() for line in lines if line.startswith("@@")]
    applied = [one.kernel for one in combined.report.findings if one.decision is Decision.APPLIED]
    names = {name.rpartition("::")[2] for name in applied} - {"included"}
    assert sorted(titles) == sorted(f"{name} as ver" for name in names)
    removed = [line for line in lines[2:] if line.startswith("-")]
    added = [line for line in lines[2:] if line.startswith("+")]
    assert len(removed) == len(added)
    mark = STEP.decode()
    for old, new in zip(removed, added, strict=True):
        assert old[1:].replace(mark, f"{mark}00").split()[-6:] == new[1:].split()[-6:]
    assert lines[-1].startswith("# not shown: 22 launches that may get a version, ")
    assert lines[-1].endswith(" lines of whole versions and what chooses among them; --full does")


def test_the_numbers_are_those_of_the_file(combined: Examination) -> None:
    source = (SOURCES / "combined.cu").read_text().splitlines()
    lines = shown(combined, "combined.cu")
    for at, line in enumerate(lines):
        if line.startswith("@@"):
            first = int(line[4:].partition(" ")[0].partition(",")[0])
            assert source[first - 1] == lines[at + 1][1:]


def test_a_header_without_a_last_line_break(combined: Examination) -> None:
    lines = shown(combined, "included.cuh")
    assert [line for line in lines if line.startswith("@@")] == ["@@ -3,3 +3,3 @@ included as ver"]
    assert "\\ No newline at end of file" in lines


CASES = Path(__file__).parents[2] / "plugins"


@pytest.mark.parametrize(
    ("plugin_name", "case", "titles"),
    [
        ("cta_clustering", "at_launch", ["product as cta_clustering", "row as cta_clustering"]),
        ("coarsening", "plane", [f"{name} as coarsening{n}" for n in (2, 4) for name in ("scale", "row", "at")]),
    ],
)
def test_functions_that_versions_have_copies_of_are_shown(plugin_name: str, case: str, titles: list[str]) -> None:
    (one,) = (one for one in cases(CASES / plugin_name / "cases") if one.source.stem == case)
    lines = shown(examine_case(one, plugin_name), one.source.name)
    assert sorted({line.split("@@")[2].strip() for line in lines if line.startswith("@@")}) == sorted(titles)
    assert not any("__gpuopt_launch" in line for line in lines)


@pytest.mark.parametrize("plugin_name", ["vtb", "catt"])
def test_no_launch_side_is_shown(plugin_name: str) -> None:
    for one in cases(CASES / plugin_name / "cases")[::4]:
        made = examine_case(one, plugin_name)
        for path in made.patched:
            lines = shown(made, Path(path).name)
            assert not any(re.search(r"__gpuopt_(launch|elsewhere|versions)|gpuopt_rt::config", line) for line in lines)


def made_of(
    tmp_path: Path, *variants: tuple[str, bytes, bytes], edits: tuple[tuple[bytes, bytes], ...] = ()
) -> list[str]:
    """What is shown where a plugin wants versions (name, text, instead), and edits for all launches."""

    def place(data: bytes, text: bytes, instead: bytes, file: str) -> tuple[Edit, ...]:
        at = data.index(text)
        return (Edit(file, at, at + len(text), instead),) if text else ()

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        file = kernel.span.file
        data = context.unit.files[file].data
        wanted = [Variant(kernel.usr, name, place(data, *texts, file), "return true;") for name, *texts in variants]
        wanted = [replace(one, joins=("one",)) if one.name == "two" else one for one in wanted]
        plain = tuple(edit for texts in edits for edit in place(data, *texts, file))
        return Proposal((finding("ver", kernel, Decision.APPLIED),), plain, tuple(wanted))

    source = tmp_path / "k.cu"
    source.write_text(KERNEL)
    return shown(examine(source, plugin("ver", propose)), "k.cu")


def test_versions_that_join_others_are_named_alone(tmp_path: Path) -> None:
    lines = made_of(tmp_path, ("one", b"= 1", b"= 10"), ("two", b"= 2", b"= 20"), ("same", b"", b""))
    assert [line for line in lines if line.startswith("+ ")] == ["+    x[0] = 10;", "+    x[1] = 20;"]
    assert sorted(line for line in lines if line.startswith("# k")) == [
        "# k as one_two: the changes of one and two together",
        "# k as same: the kernel as it is, launched in another way",
    ]
    assert lines[-1].startswith("# not shown: 1 launch that may get a version, ")


def test_what_holds_for_all_launches_is_the_patch_itself(tmp_path: Path) -> None:
    lines = made_of(tmp_path, edits=((b"= 1", b"= 10"),))
    assert [line for line in lines if line[0] in "+-"][2:] == ["-    x[0] = 1;", "+    x[0] = 10;"]
    assert not any(line.startswith("#") for line in lines)
    both = made_of(tmp_path, ("one", b"= 2", b"= 20"), edits=((b"= 1", b"= 10"),))
    assert "+    x[0] = 10;" in both
    assert any(line.startswith("@@") and line.endswith("@@ k as one") for line in both)
