"""`pytest --processor-times=50`: what tests cost in seconds of processor time, that of processes they start included.

Times that a clock shows depend on what else runs; these hardly do. What a fixture builds for several tests counts for
the first of them. Processes that nobody waits for (servers of sccache, watchers) are not seen.
"""

from __future__ import annotations

import resource
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that has times printed."""
    said = "print processor seconds by directory and of the N dearest tests"
    parser.addoption("--processor-times", type=int, metavar="N", default=0, help=said)


def pytest_configure(config: pytest.Config) -> None:
    """Measure and print where it is asked for."""
    if config.getoption("--processor-times"):
        config.pluginmanager.register(ProcessorTimes(config.getoption("--processor-times")))


def seconds() -> float:
    """Processor seconds of this process and of those it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


class ProcessorTimes:
    """Times of each test's setup, call and teardown: measured in workers, added up and printed where pytest reports."""

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._last = seconds()
        self._tests: dict[str, Counter[str]] = defaultdict(Counter)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now = seconds()
        report.processor_seconds = now - self._last
        self._last = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._tests[report.nodeid][report.when] += getattr(report, "processor_seconds", 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        costs = {name: sum(phases.values()) for name, phases in self._tests.items()}
        terminalreporter.section(f"processor seconds: {sum(costs.values()):.0f}")
        for place, tests in sorted(_by_directory(costs).items(), key=lambda pair: -sum(pair[1])):
            terminalreporter.write_line(f"{sum(tests):8.1f} {len(tests):5} {place}")
        terminalreporter.section(f"dearest {self._shown} tests (setup, call, teardown)")
        for name in sorted(costs, key=lambda name: -costs[name])[: self._shown]:
            phases = self._tests[name]
            parts = " ".join(f"{phases[when]:6.2f}" for when in ("setup", "call", "teardown"))
            terminalreporter.write_line(f"{costs[name]:8.2f} ({parts}) {name}")


def _by_directory(costs: dict[str, float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for name, cost in costs.items():
        found[str(Path(name.partition("::")[0]).parent)].append(cost)
    return found
