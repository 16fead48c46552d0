"""What programs wrote down of their launches: records, what is joined, and the lines of policy that come of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from gpuopt_driver.learning.numbers import Damaged, Numbers, entries, joined, policy, record, written

NAMES = ("blockDim.x", "blockDim.y", "blockDim.z", "width", "radius", "pitch")


def line(**changes: object) -> str:
    told = {
        "gpuopt-numbers": 1,
        "kernel": "ns::blur",
        "file": "blur.cu",
        "names": NAMES,
        "keyed": 5,
        "launches": 3,
        "others": 0,
        "alike": [64, 1, 1, 17, None, 20],
        "sets": [[2, 64, 1, 1, 17, 3], [1, 64, 1, 1, 17, 4]],
    }
    return json.dumps({**told, **changes})


def sets(*counts: int, others: int = 0) -> Numbers:
    """A kernel that was launched so often with each radius from 1 on."""
    given = [[count, 64, 1, 1, 17, radius] for radius, count in enumerate(counts, 1)]
    alike = [64, 1, 1, 17, None if len(counts) > 1 else 1, 20]
    return record(line(sets=given, launches=sum(counts) + others, others=others, alike=alike))


def test_a_record() -> None:
    one = record(line())
    assert one.common == {"blockDim.x": 64, "blockDim.y": 1, "blockDim.z": 1, "width": 17, "pitch": 20}
    assert [(values["radius"], values["pitch"], count) for values, count in one.distinct] == [(3, 20, 2), (4, 20, 1)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "no record"),
        ("{}", "no record"),
        (line(**{"gpuopt-numbers": 7}), "format 7"),
        (line(names="ab"), "belong together"),
        (line(keyed=7), "belong together"),
        (line(keyed=True), "belong together"),
        (line(launches=1.5), "belong together"),
        (line(alike=[1]), "belong together"),
        (line(alike=[64, 1, 1, "17", None, 20]), "belong together"),
        (line(sets=[[1, 2]]), "belong together"),
        (line(sets=[[]]), "belong together"),
        (line(sets=3), "belong together"),
        (line(kernel=None), "belong together"),
        (line(names=["a"] * 6), "belong together"),
        (line(launches=10**30), "too large"),
    ],
)
def test_lines_that_are_no_records(text: str, said: str) -> None:
    with pytest.raises(Damaged, match=said):
        record(text)


def test_runs_are_joined() -> None:
    (both,) = joined([record(line()), record(line(alike=[64, 1, 1, 17, 4, 21], sets=[[3, 64, 1, 1, 17, 4]]))])
    assert (both.launches, both.others) == (6, 0)
    assert both.common == {"blockDim.x": 64, "blockDim.y": 1, "blockDim.z": 1, "width": 17}
    assert [(values["radius"], count) for values, count in both.distinct] == [(4, 4), (3, 2)]


def test_of_a_changed_kernel_the_last_build_counts() -> None:
    changed = line(names=["blockDim.x", "n"], keyed=2, alike=[8, 9], sets=[[3, 8, 9]])
    (one,) = joined([record(line()), record(changed)])
    assert one.common == {"blockDim.x": 8, "n": 9}


def test_kernels_of_several_files_stay_apart() -> None:
    assert [one.file for one in joined([record(line(file="b.cu")), record(line(file="a.cu"))])] == ["a.cu", "b.cu"]


@pytest.mark.parametrize(
    ("numbers", "radii"),
    [
        (sets(5), ["1"]),
        (sets(5, 1), ["1", "2"]),
        (sets(5, 2, 1), ["1", "2", "3"]),
        (sets(95, 2, 1), ["1", ""]),
        (sets(2, 2, 2, 2), ["1", "2", "3", "4"]),
        (sets(3, 3, 2, 2, 2), ["1", "2", "3", ""]),
        (sets(5, 5, others=9), ["1", "2", ""]),
        (sets(3, 1, others=9), [""]),
    ],
)
def test_entries_are_what_most_launches_have(numbers: Numbers, radii: list[str]) -> None:
    expected = [
        f"blockDim = 64x1x1, width = 17{f', radius = {radius}' if radius else ''}, pitch = 20" for radius in radii
    ]
    assert entries(numbers) == expected


def test_a_block_is_written_as_a_whole() -> None:
    assert written({"blockDim.x": 64, "blockDim.y": 2, "n": -3}) == "n = -3"
    assert written({"blockDim.x": 64}) == ""


def test_what_is_alike_but_spares_nothing_is_no_entry_by_itself() -> None:
    many = record(line(alike=[None, 1, 1, None, None, 20], launches=30, others=28, sets=[[1, 64, 1, 1, 2, 3]] * 1))
    assert entries(many) == []


def test_four_entries_ask_for_four_sets() -> None:
    assert policy(sets(2, 2, 2, 2))[-1] == "constants.sets = 4"
    assert policy(sets(2, 2))[-1].endswith("\n]")


def test_the_policy_is_toml() -> None:
    document = tomli.loads("\n".join(policy(record(line(kernel='a<"b">', file="[x].cu")))))
    (table,) = document["kernel"]
    assert (table["name"], table["source"]) == ('a<"b">', "[[]x].cu")
    assert table["constants"]["known"] == [
        f"blockDim = 64x1x1, width = 17, radius = {radius}, pitch = 20" for radius in (3, 4)
    ]


def test_where_nothing_is_alike_there_is_no_table() -> None:
    alike = [None] * 6
    many = record(line(alike=alike, launches=30, others=28, sets=[[1, 64, 1, 1, n, n] for n in (1, 2)]))
    assert [one for one in policy(many) if not one.startswith("#")] == []
    assert policy(many)[-1] == "#   all: nothing alike"


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "gpuopt_driver", "numbers", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)


def test_the_command(tmp_path: Path) -> None:
    file, empty = tmp_path / "numbers", tmp_path / "empty"
    file.write_text(f"{line()}\n{line()[:50]}\n\n{line(kernel='other')}\n")
    empty.write_text("")
    done = command(file)
    assert (done.returncode, [one["name"] for one in tomli.loads(done.stdout)["kernel"]]) == (0, ["ns::blur", "other"])
    assert done.stderr.startswith(f"gpuopt: warning: {file}:2: not JSON: ")
    assert done.stderr.count("\n") == 1
    found = json.loads(command("--json", file, file).stdout)["kernels"]
    assert [(one["kernel"], one["launches"], len(one["known"])) for one in found] == [
        ("ns::blur", 6, 2),
        ("other", 6, 2),
    ]
    for path, said in (
        (empty, "no launches; was the program built"),
        (tmp_path / "none", "cannot read numbers: No such"),
    ):
        done = command(path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert done.stderr.startswith(f"gpuopt: error: {path}: {said}")
