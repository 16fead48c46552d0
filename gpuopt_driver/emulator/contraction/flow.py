"""Statements of device code: what they make of the values that variables hold, whatever way is taken."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.emulator.contraction.arithmetic import Term
from gpuopt_driver.emulator.contraction.declarations import Declarations
from gpuopt_driver.emulator.contraction.exits import Exit, turns_left_over
from gpuopt_driver.emulator.contraction.primaries import is_pure
from gpuopt_driver.emulator.contraction.scopes import Holds, Path
from gpuopt_driver.emulator.contraction.values import UNKNOWN, Values
from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.statements import statement_end

_DECLINED = frozenset({b"switch", b"goto", b"try", b"case", b"default", b"template", b"class", b"union", b"enum"})
# What may store where no assignment is seen, or makes a variable one that others see; what a name may be read through;
# words before a name that are no type of it.
_MAY_STORE = frozenset(
    {b"asm", b"__asm__", b"volatile", b"goto", b"delete", b"new", b"static", b"__shared__", b"extern"}
)
_POINTS = frozenset({b"*", b"&", b"->", b"::"})
_NO_TYPES = frozenset({b"return", b"else", b"do", b"case", b"goto", b"throw", b"sizeof", b"operator", b"co_return"})
_SKIPPED = frozenset({b"using", b"typedef", b"static_assert", b"namespace"})


class _Loop:
    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet  # nothing is stored in it
        self.breaks: list[Holds] = []
        self.continues: list[Holds] = []


class Flow(Declarations):
    """Reads the body of a function."""

    def __init__(self, tokens: Tokens, by_value: frozenset[bytes] = frozenset()) -> None:
        super().__init__(tokens, by_value)
        self.surrounding: list[_Loop] = []
        self._reachable = True
        self.taken: list[Term | None] | None = None  # what a function returns that is read where it is called

    def function(self, params: int, body: int) -> Values:
        """The values of the function whose parameters' parenthesis and whose body's brace stand there."""
        self.open_function(params, body)
        self.index = body
        self.statement()
        for path in self.results:
            self.values.use(self.scopes.get(path), UNKNOWN)
        self.values.twice |= not self.apart.isdisjoint(self.scopes.needed)
        return self.values

    def statement(self) -> None:
        """Read one statement."""
        text, at = self.at(self.index), self.index
        if text == b"{":
            close = self.tokens.match[at]
            self.index += 1
            self.scopes.names.append({})
            while self.index < close:
                self.statement()
            if self.index != close:
                raise Declined("a block")
            self.index += 1
            self.scopes.names.pop()
        elif text == b";":
            self.index += 1
        elif text in _DECLINED or (self.tokens.is_word(at) and self.at(at + 1) == b":" and text != b"default"):
            raise Declined(f"{text!r}")
        elif text in _SKIPPED:
            self.index = statement_end(self.tokens, at)
        elif text in (b"if", b"for", b"while", b"do"):
            {b"if": self.branches, b"for": self._for, b"while": self._while, b"do": self._do}[text]()
        elif text in (b"break", b"continue", b"return"):
            self._leave(text)
        elif text in (b"asm", b"__asm__"):
            self._opaque(at)
        elif self.declares(at):
            self.declaration()
        else:
            self.comma()
            self.expect(b";")

    def _opaque(self, at: int) -> None:
        self.index = statement_end(self.tokens, at)
        for index in range(at, self.index):
            found = self.scopes.find(self.at(index)) if self.tokens.is_word(index) else None
            if found is not None and not found.memory:
                self.values.use(self.scopes.get((found, b"")), UNKNOWN)
                self.scopes.forget((found, b""))
        self.memory += 1

    def _leave(self, word: bytes) -> None:
        self.index += 1
        if word == b"return":
            term = self.comma() if self.at(self.index) != b";" else None
            if self.taken is not None:
                self.taken.append(term)
                self.expect(b";")
                return
            if term is not None:
                self.values.use(term.value, UNKNOWN)
            for path in self.results:
                self.values.use(self.scopes.get(path), UNKNOWN)
        elif self.surrounding:
            ways = self.surrounding[-1].breaks if word == b"break" else self.surrounding[-1].continues
            ways.append(dict(self.scopes.holds))
        self.expect(b";")
        self._reachable = False

    def _branch(self) -> Holds | None:
        """One way of a branch: what variables hold at its end, None where it does not come there."""
        self.values.open_scope()
        self.values.new_block()
        self.scopes.names.append({})
        self._reachable = True
        self.statement()
        self.scopes.names.pop()
        self.values.close_scope()
        return dict(self.scopes.holds) if self._reachable else None

    def branches(self) -> None:
        """A statement `if`."""
        self.index += 1
        if self.at(self.index) == b"constexpr":
            self.index += 1
        self.expect(b"(")
        self._condition()
        self.expect(b")")
        before, memory = dict(self.scopes.holds), self.memory
        ways = [self._branch()]
        self.scopes.holds = dict(before)
        changed = self.memory
        if self.at(self.index) == b"else":
            self.index += 1
            self.memory = memory  # the branches' stores are not each other's
            ways.append(self._branch())
        else:
            ways.append(dict(before))
        if max(self.memory, changed) > memory:
            self.memory = max(self.memory, changed) + 1
        ends = [way for way in ways if way is not None]
        self._reachable = bool(ends)
        self.scopes.join(ends)
        self.values.new_block()

    def _condition(self) -> None:
        if self.declares(self.index):
            raise Declined("a declaration as a condition")
        self.values.use(self.comma().value, "branch")

    def _turn(self, start: int, end: int, *, counted: bool = False) -> Holds:
        """The beginning of a turn whose tokens are [start, end); `counted`: of a number of turns that is a constant."""
        changed = list(self._changed(start, end))
        for path in changed:
            self.scopes.get(path)
        quiet = not self._stores(start, end)
        self.memory += not quiet
        self.run += 1
        self.values.event()
        self.values.open_loop(straight=self.straight(start, end), quiet=quiet, counted=counted)
        heads = self.scopes.enter_turns(changed)
        self.surrounding.append(_Loop(quiet=quiet))
        return heads

    def straight(self, _start: int, _end: int) -> bool:
        """Whether the turns whose tokens are given are taken for one run of statements."""
        return False

    def _after(self, heads: Holds, left_over: bytes = b"") -> None:
        loop = self.surrounding.pop()
        ends = [dict(self.scopes.holds)] if self._reachable else []
        known = self.values.close_loop()
        self.memory += not loop.quiet
        self.run += 1
        self._reachable = True
        self.scopes.leave_turns(heads, ends + loop.continues, loop.breaks)
        for path, head in heads.items() if left_over and ends else ():
            exit_ = Exit(head.args[0], ends[0].get(path, head), known, left_over)
            self.kept.exits[self.scopes.get(path)] = exit_

    def _changed(self, first: int, last: int) -> Iterator[Path]:
        """The variables from before that are set between two tokens."""
        seen = set()
        for index in range(first, last):
            for at in self._places(index):
                path = self.path_at(at)
                if path is not None and path not in seen:
                    seen.add(path)
                    yield path

    def _places(self, index: int) -> Iterator[int]:
        """Where what a token may change is named: an assignment, `++`, the arguments of a call that is not known."""
        text, behind = self.at(index), self.at(index + 1)
        if text in ASSIGNS or (text in (b"<", b">") and behind == text + b"="):
            yield index - 1
        elif text in (b"+", b"-") and behind == text:
            yield index - 1
            yield index + 2
        elif text == b"(" and self.tokens.is_word(index - 1) and not self._keeps(self.at(index - 1)):
            at, close = index + 1, self.tokens.match[index]
            while at < close:
                yield at
                at = next((i + 1 for i in range(at, close) if self.at(i) == b","), close)

    def _stores(self, first: int, last: int) -> bool:
        """Whether what stands between two tokens may store into memory, in doubt."""
        declared: set[bytes] = set()
        for index in range(first, last):
            text, behind, before = self.at(index), self.at(index + 1), self.at(index - 1)
            if text in _MAY_STORE:
                return True
            call = text == b"(" and (before in (b")", b"]", b">") or self.tokens.is_word(index - 1))
            if call and not (self.tokens.is_word(index - 1) and self.stores_nothing(before)):
                return True
            if self.tokens.is_word(index - 1) and self.tokens.is_word(index) and before not in _NO_TYPES:
                declared.add(text)
            step = text in (b"+", b"-") and behind == text
            if step and not self._is_local(index - 1, declared) and not self._is_local(index + 2, declared):
                return True
            assigns = text in ASSIGNS or (text in (b"<", b">") and behind == text + b"=")
            stepped = self.at(index - 2) in (b"+", b"-")  # *++p = x
            if assigns and (stepped or not self._is_local(index - 1, declared)):
                return True
        return False

    def _is_local(self, at: int, declared: set[bytes]) -> bool:
        """Whether a variable of the function's own, or a member of one, is named there; not what it points to."""
        first = last = at
        while self.at(first - 1) == b".":
            first -= 2
        while self.at(last + 1) == b".":
            last += 2
        around = self.at(first - 1) in _POINTS or self.at(last + 1) in (b"[", b"->", b"(", b"::")
        if around or not self.tokens.is_word(first) or not self.tokens.is_word(last):
            return False
        return self.at(first) in declared or self.path_at(at) is not None

    def stores_nothing(self, name: bytes) -> bool:
        """Whether a function, or a keyword, of this name stores nothing."""
        return is_pure(name) or name in (b"if", b"for", b"while", b"return", b"sizeof") or name in self.types

    def _keeps(self, name: bytes) -> bool:
        """Whether a function of this name leaves its arguments as they are."""
        return name in self.by_value or is_pure(name) or name in (b"if", b"for", b"while", b"return", b"sizeof")

    def path_at(self, at: int) -> Path | None:
        """The variable, or the member of one, that is named around a token."""
        first = at
        while self.at(first - 1) == b".":
            first -= 2
        variable = self.scopes.find(self.at(first)) if self.tokens.is_word(first) else None
        if variable is None or variable.memory:
            return None
        last, member = first, b""
        while self.at(last + 1) == b"." and self.tokens.is_word(last + 2):
            member += b"." + self.at(last + 2)
            last += 2
        return variable, member

    def _for(self) -> None:
        self.scopes.names.append({})
        opened = self.index + 1
        close = self.tokens.match[opened]
        self.index = opened + 1
        if self.declares(self.index):
            self.declaration()
        else:
            if self.at(self.index) != b";":
                self.comma()
            self.expect(b";")
        condition = self.index
        end = statement_end(self.tokens, close + 1)
        heads = self._turn(condition, end, counted=self._counted(opened, condition))
        if self.at(self.index) != b";":
            self._condition()
        self.expect(b";")
        step, self.index = self.index, close + 1
        self._body()
        if step < close:
            self.index = step
            self.comma()
        self._after(heads, turns_left_over(self.tokens, opened, end))
        self.index = end
        self.scopes.names.pop()

    def _counted(self, opened: int, condition: int) -> bool:
        """Whether a `for` begins at a number and ends at one: nvcc may write all its turns one behind the other."""
        numbers = [index for index in (condition - 2, condition + 2) if self.tokens.kind[index] is Kind.NUMBER]
        return opened < condition - 2 and len(numbers) == 2 and self.at(condition + 3) == b";"

    def _body(self) -> None:
        self.scopes.names.append({})
        self.statement()
        self.scopes.names.pop()
        if self.surrounding[-1].continues and self._reachable:
            self.scopes.join([dict(self.scopes.holds), *self.surrounding[-1].continues])
            self.values.new_block()

    def _while(self) -> None:
        close = self.tokens.match[self.index + 1]
        heads = self._turn(self.index, statement_end(self.tokens, close + 1))
        self.index += 2
        self._condition()
        self.expect(b")")
        self._body()
        self._after(heads)

    def _do(self) -> None:
        end = statement_end(self.tokens, self.index)
        heads = self._turn(self.index, end)
        self.index += 1
        self._body()
        self.expect(b"while")
        self.expect(b"(")
        self._condition()
        self._after(heads)
        self.index = end
