"""What the model says of random kernels, held against runs of their threads."""

from __future__ import annotations

import os

import pytest

from gpuopt_driver.frontend.expr import Expr, evaluate, is_known, is_uniform, symbols
from gpuopt_driver.frontend.model import LOOP_KINDS, Kernel, StmtKind

from .programs import Program, Trace, programs

COUNT = int(os.environ.get("SOUNDNESS_PROGRAMS", "60"))
FIRST = int(os.environ.get("SOUNDNESS_FIRST", "0"))
THREADS = (0, 1, 2, 5)


def bind(expr: Expr, kernel: Kernel, values: dict[str, int]) -> dict[str, int] | None:
    """The values of an expression's symbols, from those that a run noted; None if one was not."""
    bound = {"threadIdx.x": values["threadIdx.x"], "n": values["n"]}
    variables = {loop.symbol: loop.variable for loop in kernel.loops}
    for symbol in symbols(expr):
        if symbol.name in variables:
            name = variables[symbol.name]
            key = f"{symbol.name}:{name}" if name else f"{symbol.name}#"
            if key not in values:
                return None
            bound[symbol.name] = values[key]
    return bound


def check(program: Program, kernel: Kernel, n: int) -> int:
    """Compare; the number of facts that could be compared."""
    traces = [program.run(thread, n) for thread in THREADS]
    if any(trace.exhausted for trace in traces):
        return 0
    staying = [trace for trace in traces if not trace.returned]
    return _together(kernel, staying) + sum(_addresses(kernel, trace) + _trips(kernel, trace) for trace in traces)


def _together(kernel: Kernel, traces: list[Trace]) -> int:
    compared = 0
    for stmt in kernel.stmts:
        if not stmt.reached_uniformly or stmt.role == "init":
            continue
        assert len({trace.runs.get(stmt.id, 0) for trace in traces}) <= 1, f"statement {stmt.id}"
        compared += 1
        left_together = stmt.kind not in LOOP_KINDS or kernel.stmt(stmt.children[-1]).reached_uniformly
        if stmt.uniform and left_together and stmt.kind in (StmtKind.IF, *LOOP_KINDS):
            values = {tuple(trace.conditions.get(stmt.id, [])) for trace in traces}
            assert len(values) <= 1, f"condition of {stmt.id}"
    for access in kernel.accesses:
        known = access.array.name == "out" and access.offset is not None and is_uniform(access.offset)
        if known and kernel.stmt(access.stmt).reached_uniformly:
            seen = {tuple(each for each, _ in trace.addresses.get(access.stmt, [])) for trace in traces}
            assert len(seen) <= 1, f"address of {access.text}"
            compared += 1
    return compared


def _addresses(kernel: Kernel, trace: Trace) -> int:
    compared = 0
    for access in kernel.accesses:
        if access.array.name != "out" or access.offset is None or not is_known(access.offset):
            continue
        for address, values in trace.addresses.get(access.stmt, []):
            bound = bind(access.offset, kernel, values)
            if bound is not None:
                assert evaluate(access.offset, bound) == address, access.text
                compared += 1
    return compared


def _trips(kernel: Kernel, trace: Trace) -> int:
    compared = 0
    for loop in kernel.loops:
        if loop.trips is None or not is_known(loop.trips):
            continue
        for count, values in trace.trips.get(loop.stmt, []):
            bound = bind(loop.trips, kernel, values)
            if bound is not None:
                assert evaluate(loop.trips, bound) == count, f"trips of {loop.symbol}"
                compared += 1
    return compared


def test_model_agrees_with_runs(parse):
    compared = 0
    for program in programs(COUNT, FIRST):
        (kernel,) = parse(program.text).kernels
        assert kernel.problems == ()
        assert len(kernel.stmts) == program.count
        for n in (0, 1, 3):
            try:
                compared += check(program, kernel, n)
            except AssertionError as error:
                pytest.fail(f"{error}, n={n}\n{program.text}")
    assert compared > COUNT
