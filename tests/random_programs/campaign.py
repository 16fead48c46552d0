"""Many programs, one or two at a time; results are appended, so that a campaign goes on where it was stopped."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .policies import PLUGINS, forced
from .program import EMULATOR, FLOATS, program
from .verdict import examine
from .workshop import Workshop


@dataclass(frozen=True)
class Campaign:
    """What is asked for."""

    seed: int
    kernels: int
    scratch: Path
    results: Path
    per_program: int = 10
    turns: int = 1
    plugins: tuple[str, ...] = PLUGINS
    check_every: int = 5
    jobs: int = 2
    seconds: float = float("inf")
    avoid: tuple[str, ...] = EMULATOR
    floats: float = FLOATS

    def tasks(self) -> Iterator[tuple[int, int]]:
        """Seed and turn of every program."""
        programs = -(-self.kernels // self.per_program)
        yield from ((self.seed + number, turn) for turn in range(self.turns) for number in range(programs))

    def settings(self) -> dict[str, Any]:
        """What a program's line depends on, beside seed and turn."""
        return {
            "kernels": self.per_program,
            "plugins": list(self.plugins),
            "avoid": list(self.avoid),
            "floats": self.floats,
        }

    def done(self) -> dict[tuple[int, int], dict[str, Any]]:
        """What the file of results has already."""
        if not self.results.exists():
            return {}
        wanted = set(self.tasks())
        found = (json.loads(line) for line in self.results.read_text().splitlines() if line.endswith("}"))
        mine = [one for one in found if one["settings"] == self.settings()]
        return {(one["seed"], one["turn"]): one for one in mine if (one["seed"], one["turn"]) in wanted}


def one(campaign: Campaign, seed: int, turn: int) -> dict[str, Any]:
    """One program of a campaign, as a line of results."""
    made = program(seed, campaign.per_program, avoid=campaign.avoid, floats=campaign.floats)
    shop = Workshop(campaign.scratch / f"worker-{os.getpid()}")
    check = campaign.check_every > 0 and seed % campaign.check_every == 0
    verdict = examine(shop, made, forced(made, turn), campaign.plugins, check=check)
    return {**verdict.json(), "turn": turn, "checked": check, "settings": campaign.settings()}


def run(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Every program that is not done yet; its line is in the file when it is yielded."""
    started, done = time.monotonic(), campaign.done()
    todo = [task for task in campaign.tasks() if task not in done]
    campaign.results.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(campaign.jobs) as pool, campaign.results.open("a") as results:
        running: set[Future[dict[str, Any]]] = set()
        while running or (todo and time.monotonic() - started < campaign.seconds):
            while todo and len(running) < campaign.jobs and time.monotonic() - started < campaign.seconds:
                running.add(pool.submit(one, campaign, *todo.pop(0)))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                line = future.result()
                results.write(json.dumps(line) + "\n")
                results.flush()
                yield line


def failing(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those with failures."""
    return [line for line in lines if line["failures"]]
