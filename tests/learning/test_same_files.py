"""Programs (choices.h) and Python read what the other writes, and refuse the same files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.learning.files import Place, append, content, records_at
from gpuopt_driver.learning.records import ORIGINAL, lines_of, pooled
from gpuopt_driver.learning.student import STUDENT
from tests.learning.making import arm, record, spread

HERE = Path(__file__).parent
HEADERS = HERE.parents[1] / "gpuopt_driver" / "learning"
KEY, DIGEST = "fedcba9876543210", "0123456789abcdef"


@pytest.fixture(scope="module")
def driver(host_compiler, tmp_path_factory):
    built = tmp_path_factory.mktemp("records") / "records"
    student = ",".join(map(str, STUDENT))
    named = {"GPUOPT_RT_VERSION": "tested", "GPUOPT_RT_STUDENT": student, "GPUOPT_RT_CHOICES": '""'}
    argv = [host_compiler, "-std=c++11", "-O1", *(f"-D{name}={value}" for name, value in named.items())]
    subprocess.run([*argv, f"-I{HEADERS}", str(HERE / "records_driver.cpp"), "-o", str(built)], check=True)
    return str(built)


def environment(choices) -> dict[str, str]:
    return {**os.environ, "GPUOPT_CHOICES": str(choices)}


def loaded(driver, choices) -> dict[str, list[str]]:
    """What a program knows, by version and number."""
    argv = [driver, "load", KEY, DIGEST]
    done = subprocess.run(argv, env=environment(choices), capture_output=True, text=True, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    return {f"{row[0]} {row[1]}": row[2:] for row in rows}


def stored(driver, choices, count=1):
    subprocess.run([driver, "store", KEY, DIGEST, str(count)], env=environment(choices), check=True)


def made(number: int):
    arms = [arm("catt", 1, spread(4, 0.1 + number, 0.01)), arm("vtb+catt", 2, firsts=spread(3, 11.0, 0.1))]
    return record(arms=arms[: number % 2 + 1], key=KEY, time=number, digest=DIGEST)


@pytest.mark.parametrize("is_file", [False, True])
def test_a_program_reads_what_python_writes(driver, tmp_path, is_file):
    where = Place(tmp_path / "team.choices", "") if is_file else Place(tmp_path, "")
    records = [made(number) for number in range(5)]
    append(where, [*records, record("other", key="1" * 16)], {})
    known = loaded(driver, where.path)
    (want,) = pooled(records)
    assert set(known) == {"original 0", "catt 1", "vtb+catt 2"}
    for one in want.arms:
        numbers, *figures = known[f"{one.version} {one.id}"]
        assert numbers == one.numbers
        samples = (one.pairs.count, one.pairs.mean, one.pairs.m2, one.firsts.count, one.firsts.mean, one.firsts.m2)
        assert [float(figure) for figure in figures] == pytest.approx(samples, rel=1e-9, abs=1e-9)


def test_python_reads_what_a_program_writes(driver, tmp_path):
    stored(driver, tmp_path, 3)
    (path,) = tmp_path.iterdir()
    assert path.name == f"{DIGEST}.choices"
    found = records_at(Place(tmp_path, ""), {})
    assert (len(found.records), found.damaged) == (3, 0)
    assert path.read_bytes() == b"".join(line for one in found.records for line in lines_of(one))
    (one,) = pooled(found.records)
    assert (one.kernel, one.launches, one.key) == ("ns::gesummv<4> [with T = float]", 15, KEY)
    assert one.saved_ns == pytest.approx(3 * 4321.6, abs=2)
    original, other = one.arms
    assert (original.version, original.pairs.count) == (ORIGINAL, 3)
    assert (other.version, other.id, other.numbers) == ("cache_bypass+catt", 77, "n=4,1,1,1 shared=0 carveout=-1")
    assert (other.pairs.count, other.pairs.mean) == (3, pytest.approx(0.252))
    assert (other.firsts.count, other.firsts.mean) == (3, 11.25)


def test_damage_costs_a_program_the_damaged_line(driver, tmp_path):
    where = Place(tmp_path, "")
    append(where, [made(0)], {})
    path = where.file_of(DIGEST)
    path.write_bytes(path.read_bytes() + path.read_bytes().replace(b"gesummv", b"gesummw") + b"junk\n\n")
    append(where, [made(2)], {})
    assert loaded(driver, tmp_path)["catt 1"][1] == "8"


def test_sixteen_programs_at_once_lose_nothing(driver, tmp_path):
    argv = [driver, "store", KEY, DIGEST, "50"]
    running = [subprocess.Popen(argv, env=environment(tmp_path)) for _ in range(16)]
    assert [one.wait() for one in running] == [0] * 16
    found = records_at(Place(tmp_path, ""), {})
    assert (len(found.records), found.damaged) == (800, 0)


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o666, 0o664, 0o602])
def test_both_refuse_what_others_can_write(driver, tmp_path, mode):
    where = Place(tmp_path, "")
    append(where, [made(0)], {})
    path = where.file_of(DIGEST)
    path.chmod(mode)
    is_known = "catt 1" in loaded(driver, tmp_path)
    assert is_known == (mode in (0o644, 0o600))
    try:
        content(path, {})
    except GpuoptError:
        assert not is_known
    else:
        assert is_known
    before = path.read_bytes()
    stored(driver, tmp_path)
    assert (path.read_bytes() == before) == (not is_known)


def test_neither_follows_a_link(driver, tmp_path):
    append(Place(tmp_path / "real", ""), [made(0)], {})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert "catt 1" in loaded(driver, tmp_path / "real")
    assert "catt 1" not in loaded(driver, tmp_path / "link")
    stored(driver, tmp_path / "link")
    assert len(records_at(Place(tmp_path / "real", ""), {}).records) == 1
    with pytest.raises(GpuoptError):
        content(tmp_path / "link", {})


@pytest.mark.parametrize("name", ["absent", "absent.choices", "dir", "dir/"])
def test_both_mean_the_same_place(driver, tmp_path, name):
    (tmp_path / "dir").mkdir()
    stored(driver, f"{tmp_path}/{name}")
    where = Place.named(f"{tmp_path}/{name}", "")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [where.file_of(DIGEST)]
