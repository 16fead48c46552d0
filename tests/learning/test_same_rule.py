"""The rule in Python and the one that programs decide by (learner.h) say the same of the same figures."""

from __future__ import annotations

import math
import random
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.learning.records import ORIGINAL, Arm, Record
from gpuopt_driver.learning.rule import standing
from gpuopt_driver.learning.samples import NONE, Sample
from gpuopt_driver.learning.student import STUDENT
from tests.learning.making import spread

HERE = Path(__file__).parent
HEADERS = HERE.parents[1] / "gpuopt_driver" / "learning"
COUNTS = (0, 0, 1, 2, 3, 4, 5, 7, 12, 30, 63, 64, 65, 127, 128, 200, 256, 257, 1000)


def some_sample(numbers: random.Random, means: tuple[float, ...]) -> Sample:
    count = numbers.choice(COUNTS)
    return spread(count, numbers.choice(means) + numbers.gauss(0, 0.01), numbers.choice((0.0, 0.003, 0.02, 0.1)))


def some_launch(numbers: random.Random) -> list[Arm]:
    """Arms near what the rule tells apart: 1, 2 and 50 %, ties, few and many values."""
    first = Arm(ORIGINAL, 0, "", some_sample(numbers, (11.5,)), some_sample(numbers, (11.6,)))
    gains = (-0.42, -0.4, 0.0, 0.02, 0.03, 0.2, 0.205, 0.21)
    firsts = tuple(11.6 - gain for gain in gains)
    others = [Arm("v", number, "", some_sample(numbers, gains), some_sample(numbers, firsts)) for number in range(7)]
    for number, other in enumerate(others):
        if numbers.random() < 0.4:  # programs of one launch have no pairs
            others[number] = Arm("v", other.id, "", NONE, other.firsts)
    return [first, *others[: numbers.randint(1, 7)]]


def figures(one: Sample) -> str:
    return f"{one.count} {one.mean!r} {one.m2!r}"


@pytest.fixture(scope="module")
def said_by_the_runtime(host_compiler, tmp_path_factory):
    """Builds the driver; a function from launches to its answers."""
    built = tmp_path_factory.mktemp("rule") / "rule"
    named = {"GPUOPT_RT_VERSION": "tested", "GPUOPT_RT_STUDENT": ",".join(map(str, STUDENT))}
    argv = [host_compiler, "-std=c++11", "-O1", *(f"-D{name}={value}" for name, value in named.items())]
    subprocess.run([*argv, f"-I{HEADERS}", str(HERE / "rule_driver.cpp"), "-o", str(built)], check=True)

    def ask(launches):
        text = "".join(
            f"{len(arms)} {' '.join(f'{figures(arm.pairs)} {figures(arm.firsts)}' for arm in arms)}\n"
            for arms in launches
        )
        done = subprocess.run([built], input=text, capture_output=True, text=True, check=True)
        return [line.split() for line in done.stdout.splitlines()]

    return ask


def test_the_same_figures_lead_to_the_same_choice(said_by_the_runtime):
    numbers = random.Random(36)
    launches = [some_launch(numbers) for _ in range(4000)]
    answers = said_by_the_runtime(launches)
    assert len(answers) == len(launches)
    states, reasons = set(), set()
    for arms, (leader, settled, *of_arms) in zip(launches, answers, strict=True):
        made = standing(Record("", "", "", "", "", arms=tuple(arms)))
        found = (made.verdicts.index(made.leader) + 1 if made.leader else 0, made.is_settled)
        assert found == (int(leader), settled == "1"), arms
        for verdict, out, mean, half in zip(made.verdicts, of_arms[::3], of_arms[1::3], of_arms[2::3], strict=True):
            assert bool(verdict.dropped) == (out == "1"), verdict
            assert verdict.gain.mean == pytest.approx(float(mean), abs=1e-12)
            assert min(verdict.gain.half, 1e9) == pytest.approx(float(half), rel=1e-12)
            assert math.isinf(verdict.gain.half) == (float(half) == 1e9)
            reasons.add(verdict.dropped[:20])
        states.add(made.state)
    assert len(states) == 3
    assert len(reasons) == 6  # every reason, and none
