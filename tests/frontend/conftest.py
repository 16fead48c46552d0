"""Parsing of small sources in tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuopt_driver.frontend.expr import Const, Expr, coefficient
from gpuopt_driver.frontend.model import Access, Kernel, ParseLevel, Unit
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

Parse = Callable[..., Unit]


@pytest.fixture
def parse(tmp_path: Path) -> Parse:
    """Parse a text (or bytes) as a source file, with the bundled declarations unless told otherwise."""

    def run(source: str | bytes, *, name: str = "unit.cu", level: ParseLevel | None = ParseLevel.BUNDLED, **options):
        path = tmp_path / name
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return parse_unit(path, ParseOptions(level=level, **options))

    return run


@pytest.fixture
def kernel(parse: Parse) -> Callable[..., Kernel]:
    """The only kernel of a text."""

    def run(source: str | bytes, **options) -> Kernel:
        (found,) = parse(source, **options).kernels
        assert found.problems == ()
        return found

    return run


def access(kernel: Kernel, text: str) -> Access:
    """The one access with this source text."""
    (found,) = [each for each in kernel.accesses if each.text == text]
    return found


def factor(expr: Expr | None, symbol: str) -> int | None:
    """The constant coefficient of a symbol, None where there is none."""
    assert expr is not None
    found = coefficient(expr, symbol)
    return found.value if isinstance(found, Const) else None


def text(unit: Unit, span) -> str:
    """The bytes of a span as text."""
    return unit.files[span.file].text(span)
