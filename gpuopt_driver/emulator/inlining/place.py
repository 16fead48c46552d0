"""Writes calls in place: a kernel's tokens with the bodies of the functions that it calls where the calls stood."""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.tree import BARRIER, MEETINGS, Declined, Statement, statements
from gpuopt_driver.emulator.inlining.binding import Frame
from gpuopt_driver.emulator.inlining.bodies import Bodies
from gpuopt_driver.emulator.inlining.callees import split_at_commas, template_of
from gpuopt_driver.emulator.inlining.calls import FACTOR
from gpuopt_driver.emulator.inlining.draft import word
from gpuopt_driver.emulator.inlining.group_calls import without_groups
from gpuopt_driver.emulator.inlining.groups import mentions_groups
from gpuopt_driver.emulator.inlining.named import Unit
from gpuopt_driver.emulator.inlining.types import type_of
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function


def _check_factors(tokens: Tokens) -> None:
    """Raise Declined where threads wait between the statement that declares such a variable and one that names it."""
    if not any(b"gpuopt_emu_left_" in text for text in tokens.text):
        return
    seen: set[bytes] = set()
    for at, text in enumerate(tokens.text):
        if tokens.at(at) == BARRIER or tokens.at(at) in MEETINGS:
            seen = {name for one in tokens.text[:at] for name in FACTOR.findall(one)}
        if seen and seen.intersection(FACTOR.findall(text)):
            raise Declined("a product whose factors are kept over a barrier")


@dataclass(frozen=True, slots=True)
class Placed:
    """A kernel with calls in place: its tokens, where its parts are in them; `conditions`: constant expressions that
    must be true. `volatile`: something in it was volatile. `guarded`: it had guards before its rest."""

    tokens: Tokens
    function: Function
    conditions: tuple[bytes, ...]
    volatile: bool
    guarded: bool


class Placer(Bodies):
    """Writes one kernel. `guards`: what comes behind `if (...) return;` is written as its `else`, so that no thread has
    left where others meet."""

    def __init__(self, tokens: Tokens, unit: Unit, kernel: Function, *, guards: bool = False) -> None:
        super().__init__(tokens, unit, kernel)
        self.guards = guards
        self.guarded = 0

    def whole(self) -> Placed:
        """The kernel; raises Declined where a call cannot be written in place."""
        tokens, kernel = self.tokens, self.kernel
        if template_of(tokens, kernel) is None:
            raise Declined("a template that cannot be read")
        values = [value for _, _, value in BUILTINS.values()]
        if any(value in tokens.text[at] for at in range(kernel.body, tokens.match[kernel.body]) for value in values):
            raise Declined("built-in variables where they have no names")
        frame = Frame(None)
        self.copy(kernel.head, kernel.body + 1, frame)
        self._parameters()
        body = len(self.draft) - 1
        self._body(list(statements(tokens, kernel.body + 1, tokens.match[kernel.body])), frame)
        self.copy(tokens.match[kernel.body], tokens.match[kernel.body] + 1, frame)
        made = self.draft.finish()
        params = kernel.params - kernel.head
        place = Function(kernel.role, 0, params, body)
        groups = self.unit.groups if mentions_groups(made.original) else None
        if self.count == 0 and not self.volatile and not self.guarded and not groups:
            raise Declined("nothing to be written in place")
        if groups:
            made = without_groups(made, place, groups)
        _check_factors(made)
        return Placed(made, place, tuple(sorted(self.conditions)), self.volatile, self.guarded > 0)

    def _parameters(self) -> None:
        inside = self.kernel.params + 1, self.tokens.match[self.kernel.params]
        for start, end in split_at_commas(self.tokens, *inside, angles=True):
            stop = next((at for at in range(start, end) if self.tokens.at(at) in (b"=", b"[")), end)
            name = stop - 1
            stars = (word(b"*", name),) if self.tokens.at(stop) == b"[" else ()
            self.types[-1][self.tokens.at(name)] = type_of((*self.renamed(start, name, {}), *stars))

    def _body(self, items: list[Statement], frame: Frame) -> None:
        """The kernel's statements."""
        for index, item in enumerate(items):
            last = index == len(items) - 1
            if self.guards and last and item.kind == "return":
                return
            if not self.guards or last or not self._is_guard(item):
                self.statement(item, frame)
                continue
            self.guarded += 1
            self.branch(item, frame, tail=True)
            at = items[index + 1].start
            self.put(b"else", at)
            self.put(b"{", at)
            self._body(items[index + 1 :], frame)
            self.put(b"}", items[-1].end - 1)
            return

    def _is_guard(self, item: Statement) -> bool:
        """Whether it is `if (...) return;`."""
        words = self.tokens.original[item.parts[0].start : item.parts[0].end] if item.kind == "if" else ()
        returns = words in ((b"return", b";"), (b"{", b"return", b";", b"}"))
        return returns and len(item.parts) == 1 and item.head == item.start + 1
