"""Index forms and counting of cache lines as C++11 text, for guards. Everything declared there starts with `catt_`."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.api import Const, Expr, Op, Sym, SymKind, expr

from .survey import LoopFacts

RUNS = """\
  struct catt_runs {  // runs of cache lines, and how many distinct lines they are together
    long long *at; unsigned n;
    explicit catt_runs(unsigned room) : at(new long long[2 * (size_t)room + 2]), n(0) {}
    ~catt_runs() { delete[] at; }
    static long long line(long long byte) {
      return byte >= 0 ? byte / catt_line : -((catt_line - 1 - byte) / catt_line);
    }
    void add(long long start, long long length) {
      at[2 * n] = line(start); at[2 * n + 1] = line(start + length - 1); ++n;
    }
    bool before(unsigned i, unsigned j) const {
      return at[2 * i] != at[2 * j] ? at[2 * i] < at[2 * j] : at[2 * i + 1] < at[2 * j + 1];
    }
    void swap(unsigned i, unsigned j) {
      for (unsigned k = 0; k < 2; ++k) {
        const long long t = at[2 * i + k]; at[2 * i + k] = at[2 * j + k]; at[2 * j + k] = t;
      }
    }
    void sift(unsigned i, unsigned count) {
      for (unsigned child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && before(child, child + 1)) ++child;
        if (!before(i, child)) return;
        swap(i, child);
      }
    }
    long long lines() {
      for (unsigned i = n / 2; i-- > 0;) sift(i, n);
      for (unsigned i = n; i-- > 1;) { swap(0, i); sift(0, i); }
      long long count = 0, next = 0;
      for (unsigned i = 0; i < n; ++i) {
        const long long first = i && at[2 * i] < next ? next : at[2 * i];
        if (at[2 * i + 1] >= first) { count += at[2 * i + 1] - first + 1; next = at[2 * i + 1] + 1; }
      }
      n = 0;
      return count;
    }
  };
"""


class Unwritable(Exception):
    """A number of the loop cannot be computed where the launch is made."""


def _rename(symbol: Sym) -> str:
    axis = symbol.name.rpartition(".")[2]
    if symbol.kind is SymKind.THREAD:
        return f"catt_{axis}"
    if symbol.kind is SymKind.BLOCK_DIM:
        return f"(long long)gpuopt_l.block.{axis}"
    if symbol.kind is SymKind.GRID_DIM:
        return f"(long long)gpuopt_l.grid.{axis}"
    if symbol.kind is SymKind.BLOCK:
        return "0LL"
    if symbol.kind is SymKind.PARAM:
        return f"(long long)({symbol.name})"
    raise Unwritable(symbol.name)


def cpp(value: Expr) -> str:
    """An expression over the launch's numbers; Unwritable where a symbol is none of them."""
    return expr.to_cpp(value, _rename)


def divisors(value: Expr | None) -> Iterator[Expr]:
    """The divisors of an expression that are not constants: zero must be refused before they are used."""
    if isinstance(value, Op):
        for arg in value.args:
            yield from divisors(arg)
        if value.op in ("/", "%") and not (isinstance(value.args[1], Const) and value.args[1].value):
            if any(symbol.kind is SymKind.THREAD for symbol in expr.symbols(value.args[1])):
                raise Unwritable("a division by a number of the thread")
            yield value.args[1]


def parts(facts: LoopFacts) -> Iterator[Expr | None]:
    """Every expression that the numbers of a loop are made of."""
    yield facts.trips
    for reference in facts.references:
        yield reference.offset
        yield reference.step
        for inner in reference.inner:
            yield inner.step
            yield inner.trips


def is_writable(facts: LoopFacts) -> bool:
    """Whether a launch can compute the loop's numbers: parameters and launch dimensions only."""
    try:
        for part in parts(facts):
            if part is not None:
                cpp(part)
                list(divisors(part))
    except Unwritable:
        return False
    return True
