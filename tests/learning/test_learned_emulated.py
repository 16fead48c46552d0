"""Programs that learn, on the emulator's model, whose events tell modelled time: the same in every run."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gpuopt_driver.learning.files import Place, append, records_at
from gpuopt_driver.learning.records import ORIGINAL, pooled
from gpuopt_driver.learning.rule import standing
from tests.learning.making import spread
from tests.needs import SOON
from tests.ours import switched_off

DRIVER = [sys.executable, "-m", "gpuopt_driver.nvcc_main"]
SOURCE = Path(__file__).with_name("twice.cu")
GPU = "jetson-agx-orin"  # the fewest multiprocessors to model
TRACE = re.compile(r"^gpuopt: rows<<<.*?>>>: (\S+) n=(\d+).*?( \(measured\)| \(settled\)|)$", re.MULTILINE)


@pytest.fixture(scope="module")
def program(host_compiler, tmp_path_factory):
    built = tmp_path_factory.mktemp("learned") / "twice"
    policy = built.with_name("toolchain.toml")
    policy.write_text("[plugins.catt]\nminimum_trips = 8\n" + switched_off("catt") + '[learn]\nmode = "on"\n')
    options = [
        "--gpuopt-backend=emulator",
        f"--gpuopt-gpu={GPU}",
        f"--gpuopt-policy={policy}",
        "-arch=sm_87",
        f"-Xcompiler={SOON}",
    ]
    subprocess.run([*DRIVER, *options, str(SOURCE), "-o", str(built)], check=True)
    return built


def ran(program, *arguments, **environment):
    """What the program printed, and what its launches got: name, groups, and whether that was measured or settled."""
    usual = {"GPUOPT_EMU_GPU": GPU, "GPUOPT_EMU_MODE": "model", "GPUOPT_LEARN": "on", "GPUOPT_DISPATCH": "trace"}
    env = {**os.environ, **usual, **environment}
    done = subprocess.run(
        [program, *map(str, arguments)],
        env={name: value for name, value in env.items() if value},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    told = [(name, int(groups), how.strip(" ()")) for name, groups, how in TRACE.findall(done.stderr)]
    return done.stdout, told, TRACE.sub("", done.stderr)


def kept(choices):
    """The records in a directory of choices."""
    return records_at(Place(choices, "tests"), os.environ).records


@pytest.fixture(scope="module")
def learned(program, tmp_path_factory):
    """Choices of programs of twelve launches, and what the first of these printed and got."""
    choices = tmp_path_factory.mktemp("choices")
    first = ran(program, 12, GPUOPT_CHOICES=f"{choices}")
    for _ in range(3):
        ran(program, 12, GPUOPT_CHOICES=f"{choices}")
    return choices, first


def test_every_launch_of_a_learning_program_computes_the_same(program, learned):
    original, told, _ = ran(program, 12, GPUOPT_DISPATCH="original")
    assert (original, told) == (learned[1][0], [])


def test_the_original_runs_first_then_arms_beside_it(learned):
    told = learned[1][1]
    assert told[1] == ("original", 1, "measured")
    assert {name for name, _, how in told if how == "measured"} == {"original", "catt"}


def test_the_same_launches_are_measured_in_every_run(program, learned, tmp_path):
    assert ran(program, 12, GPUOPT_CHOICES=f"{tmp_path}/")[:2] == learned[1][:2]


def test_launches_of_two_streams_are_not_measured_at_once(program, tmp_path):
    """The second of two launches runs to its end while the first waits in its stream."""
    _, told, _ = ran(program, 1, "beside", GPUOPT_CHOICES=f"{tmp_path}/")
    assert told == [("original", 1, ""), ("original", 1, "measured")]  # decided; launched


def test_a_later_process_begins_with_the_best(program, learned):
    found = standing(pooled(kept(learned[0]))[0])
    assert found.leader.arm.version == "catt"
    _, told, _ = ran(program, 1, GPUOPT_CHOICES=f"{learned[0]}", GPUOPT_LEARN="frozen")
    groups = re.search(r"n=(\d+)", found.leader.arm.numbers)
    assert groups is not None
    assert told == [("catt", int(groups[1]), "settled" if found.is_settled else "")]


def test_a_later_process_says_that_nothing_is_left_to_try(program, learned, tmp_path):
    (record,) = pooled(kept(learned[0]))
    leader = standing(record).leader.arm
    gains = [
        arm.pairs if arm.version == ORIGINAL else spread(64, 1.7 * (arm.id == leader.id), 0.01) for arm in record.arms
    ]
    arms = tuple(replace(arm, pairs=gain) for arm, gain in zip(record.arms, gains, strict=True))
    append(Place(tmp_path / "all", "tests", to_be_directory=True), [replace(record, arms=arms)], os.environ)
    groups = re.search(r"n=(\d+)", leader.numbers)
    assert groups is not None
    for mode in ("on", "frozen"):
        _, told, _ = ran(program, 2, GPUOPT_CHOICES=f"{tmp_path}/all/", GPUOPT_LEARN=mode)
        assert told == [("catt", int(groups[1]), "settled")]


def test_frozen_programs_measure_and_write_nothing(program, learned):
    before = {path: path.read_bytes() for path in learned[0].iterdir()}
    ran(program, 5, GPUOPT_CHOICES=f"{learned[0]}", GPUOPT_LEARN="frozen")
    assert {path: path.read_bytes() for path in learned[0].iterdir()} == before


def test_frozen_programs_that_know_nothing_run_the_original(program, tmp_path):
    _, told, _ = ran(program, 2, GPUOPT_CHOICES=f"{tmp_path}/", GPUOPT_LEARN="frozen")
    assert told == [("original", 1, "")]
    assert list(tmp_path.iterdir()) == []


def test_off_is_what_the_models_say(program, tmp_path):
    _, told, _ = ran(program, 2, GPUOPT_CHOICES=f"{tmp_path}/", GPUOPT_LEARN="off")
    assert told == [("catt", 4, "")]
    assert list(tmp_path.iterdir()) == []


def test_zero_and_one_are_off_and_on(program, learned, tmp_path):
    _, told, said = ran(program, 2, GPUOPT_CHOICES=f"{tmp_path}/", GPUOPT_LEARN="0")
    assert told == [("catt", 4, "")]
    assert "warning" not in said
    assert ran(program, 12, GPUOPT_CHOICES=f"{tmp_path}/", GPUOPT_LEARN="1")[:2] == learned[1][:2]


def test_the_emulator_learns_only_where_that_is_asked_for(program, tmp_path):
    for environment in ({"GPUOPT_LEARN": ""}, {"GPUOPT_EMU_MODE": "fast"}):
        _, told, _ = ran(program, 2, GPUOPT_CHOICES=f"{tmp_path}/", **environment)
        assert told == [("catt", 4, "")]


def test_captured_launches_are_not_decided_on(program, tmp_path):
    printed, told, _ = ran(program, 3, "captured", GPUOPT_CHOICES=f"{tmp_path}/")
    assert told == []
    assert printed == ran(program, 3, GPUOPT_DISPATCH="original")[0]


@pytest.mark.parametrize("kind", ["directory that others can write", "link", "text", "pipe", "nowhere"])
def test_choices_that_cannot_be_trusted_are_left_aside(program, kind, tmp_path):
    place = tmp_path / "kept"
    there = f"{place}"
    if kind == "link":
        (tmp_path / "other").write_text("")
        place.symlink_to(tmp_path / "other")
    elif kind == "text":
        place.write_text("export PATH=/bin\n")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "nowhere":
        there = f"{place}/not/there"
    else:
        place.write_text("")
        place.chmod(0o666)
    printed, told, said = ran(program, 3, GPUOPT_CHOICES=there)
    assert printed == ran(program, 3, GPUOPT_DISPATCH="original")[0]
    assert next(name for name, _, how in told if how) == "original"
    assert "warning" not in said
    if kind == "text":
        assert place.read_text() == "export PATH=/bin\n"
    elif kind == "link":
        assert (tmp_path / "other").read_text() == ""


def test_damage_costs_the_damaged_lines(program, learned, tmp_path):
    (kept,) = learned[0].glob("*.choices")
    lines = kept.read_bytes().splitlines(keepends=True)
    middle = len(lines[0]) // 2
    (tmp_path / kept.name).write_bytes(lines[0][:middle] + b"#" + lines[0][middle + 1 :] + b"".join(lines[1:]) + b"gpu")
    _, told, _ = ran(program, 1, GPUOPT_CHOICES=f"{tmp_path}", GPUOPT_LEARN="frozen")
    assert told[0][0] == "catt"
    ran(program, 12, GPUOPT_CHOICES=f"{tmp_path}")
    assert (tmp_path / kept.name).read_bytes().splitlines()[-1].startswith(b"gpuopt-choices-1\t")


def test_programs_that_are_killed_cost_nobody_what_is_known(program, learned, tmp_path):
    """At random times, while they learn and others read: what is left is whole, and the next program is right."""
    chance = random.Random(36)
    (known,) = learned[0].glob("*.choices")
    (tmp_path / known.name).write_bytes(known.read_bytes())
    usual = {"GPUOPT_EMU_GPU": GPU, "GPUOPT_EMU_MODE": "model", "GPUOPT_LEARN": "on", "GPUOPT_CHOICES": f"{tmp_path}"}
    ended = []
    for _ in range(12):
        with subprocess.Popen([program, "12"], env={**os.environ, **usual}, stdout=subprocess.DEVNULL) as process:
            time.sleep(chance.uniform(0, 0.4))
            process.kill()
        ended.append(process.returncode)
    assert -signal.SIGKILL in ended
    reading = records_at(Place(tmp_path, "tests"), os.environ)
    assert reading.damaged == 0
    assert len(reading.records) >= len(kept(learned[0]))
    printed, told, said = ran(program, 3, GPUOPT_CHOICES=f"{tmp_path}")
    assert printed == ran(program, 3, GPUOPT_DISPATCH="original")[0]
    assert told[0][0] == "catt"
    assert "warning" not in said


def test_no_more_is_lost_than_the_budget_allows(learned):
    for record in kept(learned[0]):
        plain = 2.718281828 ** (record.arms[0].pairs.mean or record.arms[0].firsts.mean)
        # ten launches' worth of a thousand at most, and what a measured launch costs of which nothing was known
        assert record.lost_ns <= 10 * plain + 0.5 * record.saved_ns + 3 * plain


def test_what_means_nothing_is_said_once(program, tmp_path):
    _, told, said = ran(program, 2, GPUOPT_CHOICES=f"{tmp_path}/", GPUOPT_LEARN="yes")
    assert said.count("gpuopt: warning: GPUOPT_LEARN=yes: expected on, frozen or off; it is left aside") == 1
    assert told == [("catt", 4, "")]
