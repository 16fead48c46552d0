"""How a kernel or device function is declared, beyond what its text tells."""

from __future__ import annotations

from dataclasses import replace

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.source.text import Span


@dataclass(frozen=True, slots=True)
class Declared:
    """What the text of a kernel or device function does not tell alone.

    `attributes` are the names of its attributes, those out of macros and of earlier declarations too; `in_macro`: some
    come out of macros. `outside` are the innermost namespaces around it that it is written outside of (`m::f`),
    `opening` and `closing` the bytes of its body's braces: two for `<%` and `%>`. `adrift`: why
    what stands at the end of its file is not behind it, in its namespaces, in words.
    """

    attributes: frozenset[str] = frozenset()
    in_macro: bool = False
    is_static: bool = False
    outside: tuple[str, ...] = ()
    opening: int = 1
    closing: int = 1
    adrift: str = ""

    def within(self, body: Span) -> Span:
        """What is between the braces of its body."""
        return replace(body, start=body.start + self.opening, end=body.end - self.closing)


PLAINLY = Declared()  # as its text says
