"""Cooperative groups in a kernel's text: what names say about them, and which group each handle is.

Read are handles of the whole block and of its tiles of 2 to 32 threads, declared with what they are:
`cg::thread_block b = cg::this_thread_block(); auto t = cg::tiled_partition<32>(b);`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.tree import Declined, Statement
from gpuopt_driver.emulator.inlining.draft import Token, word
from gpuopt_driver.emulator.inlining.types import Type
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.structure import Structure

SPACE = b"cooperative_groups"
TYPES = frozenset({b"thread_block", b"thread_block_tile", b"thread_group"})
_MAKERS = frozenset({b"this_thread_block", b"tiled_partition"})
FUNCTIONS = frozenset({b"sync", b"reduce", b"thread_rank", b"group_size"})
JOINS = frozenset({b"plus", b"less", b"greater", b"bit_and", b"bit_or", b"bit_xor"})
_WORDS = TYPES | _MAKERS | FUNCTIONS | JOINS
_SIZE = re.compile(rb"(1|2|4|8|16|32)[uU]?")
DEDUCED = b"gpuopt_type"  # begins the word for a type that a template's argument is: types.py
_MEMBERS = (b".", b"->")


@dataclass(frozen=True, slots=True)
class Group:
    """`size`: threads of a tile, 0 for the block. `outer`: of the tile that it is a tile of, 0 if it is the block's.
    `wide`: it is a `thread_group`, whose numbers have 64 bits."""

    size: int = 0
    outer: int = 0
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Handle:
    """A name for a group from its declaration up to the token `end`."""

    group: Group
    start: int
    end: int


def mentions_groups(words: tuple[bytes, ...]) -> bool:
    """Whether such groups may be mentioned in these words."""
    return not (TYPES | _MAKERS).isdisjoint(words)


def is_group(part: Iterable[Token]) -> bool:
    """Whether a type is that of such groups."""
    return any(not TYPES.isdisjoint(re.findall(rb"\w+", one.text)) for one in part)


def type_of_group(part: list[Token], known: Mapping[bytes, Type | None]) -> Type | None:
    """The type of the group that is the value of an expression, where `auto` stands for it; None where it is not told.

    `known`: the types of variables. (Whether the words are this namespace's, is asked later on: of the handle.)
    """
    words = [one.word for one in part]
    while b"::" in words[:2]:
        words = words[words.index(b"::") + 1 :]
    made = b"thread_block" if words == [b"this_thread_block", b"(", b")"] else b""
    size = words[2] if len(words) > 6 and words[0] == b"tiled_partition" and words[3] == b">" else b""
    if _SIZE.fullmatch(size) and words[4] == b"(":
        inner = part[-len(words) + 5 : -1]
        parent = known.get(inner[0].word) if len(inner) == 1 else type_of_group(inner, known)
        of_block = parent is not None and parent.base[-1].text == b"thread_block"
        made = b"thread_block_tile<%s>" % size.rstrip(b"uU") if of_block else b""
    return Type(tuple(word(one, part[0].at) for one in (SPACE, b"::", made))) if made else None


class GroupNames:
    """What a unit calls the namespace, and which names of it may stand without it."""

    def __init__(self, tokens: Tokens, structure: Structure) -> None:
        self.spaces = {SPACE}
        self.opened = False  # some `using namespace`
        own: set[bytes] = set()  # what is declared in the unit
        hidden: set[bytes] = set()  # namespaces of the unit
        for at, text in enumerate(tokens.original):
            if text == b"namespace" and tokens.at(at - 1) == b"using":
                continue
            if text == b"namespace" and is_alias(tokens, at):
                self.spaces.add(tokens.at(at + 1))
            elif text == b"namespace":
                stop = next((i for i in range(at, len(tokens)) if tokens.at(i) in (b"{", b"=", b";")), at)
                hidden.update(tokens.original[at + 1 : stop])
            elif text in (b"struct", b"class", b"union", b"enum", b"using", b"typename") and tokens.is_word(at + 1):
                own.add(tokens.at(at + 1))
            elif text == b";" and tokens.at(at - 1) in _WORDS:  # `typedef ... plus;`, `using std::plus;`
                own.add(tokens.at(at - 1))
        self.spaces -= hidden | own
        self.known = SPACE not in hidden | own
        self.opened = any(is_opened(tokens, at, self.spaces) for at in range(len(tokens)))
        own |= {tokens.at(f.params - 1) for f in structure.functions}
        own |= {tokens.at(item.params - 1) for item in structure.declarations if item.params >= 0}
        self.free = _WORDS - own


def is_alias(tokens: Tokens, at: int) -> bool:
    """Whether `namespace cg = cooperative_groups;` stands at `at`."""
    start = at + 3 + (tokens.at(at + 3) == b"::")
    return tokens.at(at + 2) == b"=" and tokens.at(start) == SPACE and tokens.at(start + 1) == b";"


def is_opened(tokens: Tokens, at: int, spaces: set[bytes]) -> bool:
    """Whether `using namespace cg;` stands at `at`."""
    if tokens.at(at) != b"using" or tokens.at(at + 1) != b"namespace":
        return False
    start = at + 2 + (tokens.at(at + 2) == b"::")
    return tokens.at(start) in spaces and tokens.at(start + 1) == b";"


class Reader:
    """Reads groups in the tokens of one kernel, whose `items` are its statements."""

    def __init__(self, tokens: Tokens, names: GroupNames, items: list[Statement], end: int) -> None:
        self.tokens = tokens
        self.names = names
        self.handles: dict[bytes, Handle] = {}
        self.dropped: dict[int, int] = {}  # statements that only declare handles and the like: where they end
        self._scope(items, end)

    def _scope(self, items: list[Statement] | tuple[Statement, ...], end: int) -> None:
        for item in items:
            if item.kind == "simple":
                self._simple(item, end)
            elif item.kind == "{":
                self._scope(item.parts, item.end)
            else:
                self._scope([part for part in item.parts if part.kind != "simple"], item.end)

    def _simple(self, item: Statement, end: int) -> None:
        tokens, start = self.tokens, item.start
        renames = tokens.at(start) == b"namespace" and is_alias(tokens, start)
        if renames or is_opened(tokens, start, self.names.spaces):
            self.dropped[start] = item.end
            return
        last = item.end - 2
        equals = next((at for at in range(start, item.end) if tokens.at(at) == b"="), -1)
        opened = tokens.match[last] if tokens.at(last) in (b")", b"}") and equals < 0 else -1
        name = max(equals, opened) - 1
        given = self.group(name + 2) if name > start and tokens.is_word(name) else None
        if given is None or given[1] != last + (equals >= 0):
            return
        declared = self._declared(start, name)
        if declared is None:
            return
        group = given[0] if declared == b"auto" else self._converted(given[0], declared)
        if tokens.at(name) in self.handles:
            raise Declined("a group's name that is declared again")
        self.handles[tokens.at(name)] = Handle(group, name, end)
        self.dropped[start] = item.end

    def _declared(self, start: int, end: int) -> bytes | None:
        """The type of a group's handle, without namespaces and spaces; None if it is none."""
        words: list[bytes] = []
        for at in range(start, end):
            text = self.tokens.text[at] if self.tokens.at(at).startswith(DEDUCED) else self.tokens.at(at)
            text = text.removeprefix(b"::gpuopt_emu::Same<")[:-1] if text != self.tokens.at(at) else text
            words += re.findall(rb"\w+|::|\S", text)
        if words[-1:] in ([b"&"], [b"&&"]):
            words.pop()
        words = [one for one in words if one != b"const"]
        if words == [b"auto"]:
            return b"auto"
        type_ = self._unqualified(words)
        return type_ if type_ and (type_ in TYPES or type_.startswith(b"thread_block_tile<")) else None

    def _unqualified(self, words: list[bytes]) -> bytes:
        """Words of a type without this namespace; empty where a name may be another one's."""
        found: list[bytes] = []
        for at, one in enumerate(words):
            qualified = at > 1 and words[at - 1] == b"::" and words[at - 2] in self.names.spaces
            if one == b"::" or (one in self.names.spaces and words[at + 1 : at + 2] == [b"::"]):
                continue
            if one in _WORDS and not qualified and not (self.names.opened and one in self.names.free):
                return b""
            found.append(one)
        return b"".join(found)

    def _converted(self, group: Group, declared: bytes) -> Group:
        """The group as a handle of this type has it."""
        tile = re.fullmatch(rb"thread_block_tile<(\d+)[uU]?(,thread_block)?>", declared)
        if tile and int(tile[1]) == group.size and (not tile[2] or not group.outer) and not group.wide:
            return group
        if declared == b"thread_group" or (declared == b"thread_block" and not group.size and not group.wide):
            return Group(group.size, wide=declared == b"thread_group")
        raise Declined("a group of another type")

    def named(self, at: int) -> tuple[bytes, int]:
        """The name of the namespace that stands at `at`, and where it stands; b"" if there is none."""
        tokens = self.tokens
        name = at + (tokens.at(at) == b"::")
        before = tokens.at(at - 1)
        nested = name > at and tokens.is_word(at - 1) and before not in (b"return", b"else", b"do")
        if nested or before in (*_MEMBERS, b"::") or not tokens.is_word(name):
            return b"", -1
        if tokens.at(name) in self.names.spaces and tokens.at(name + 1) == b"::":
            return (tokens.at(name + 2), name + 2) if tokens.at(name + 2) in _WORDS else (b"", -1)
        free = tokens.at(name) in self.names.free and name == at
        return (tokens.at(name), name) if free else (b"", -1)

    def handle(self, at: int) -> Group | None:
        """The group whose handle's name stands at `at`; raises Declined where the name may mean something else."""
        tokens = self.tokens
        found = self.handles.get(tokens.at(at))
        if found is None or not tokens.is_word(at) or tokens.at(at - 1) in (*_MEMBERS, b"::"):
            return None
        if not found.start < at < found.end:
            raise Declined("a group's name that means something else")
        return found.group

    def group(self, at: int) -> tuple[Group, int] | None:
        """The group that stands at `at`, and where its text ends."""
        tokens = self.tokens
        known = self.handle(at)
        if known is not None:
            return known, at + 1
        name, place = self.named(at)
        plain = place == at  # without the namespace
        if name == b"this_thread_block" and tokens.original[place + 1 : place + 3] == (b"(", b")"):
            return None if plain and not self.names.opened else (Group(), place + 3)
        if name != b"tiled_partition":
            return None
        opened = skip_template(tokens, place + 1) if tokens.at(place + 1) == b"<" else place + 1
        parent = self.group(opened + 1) if tokens.at(opened) == b"(" else None
        if parent is None:
            return None
        close = tokens.match[opened]
        if opened == place + 1:  # `tiled_partition(b, 16)`
            size = b"".join(tokens.original[parent[1] + 1 : close]) if tokens.at(parent[1]) == b"," else b""
        else:
            size, _, more = b"".join(tokens.original[place + 2 : opened - 1]).partition(b",")
            if parent[1] != close or (more and more.rpartition(b"::")[2] != b"thread_block"):
                return None
        if not _SIZE.fullmatch(size) or (plain and opened > place + 1 and not self.names.opened):
            return None
        number = int(size.rstrip(b"uU"))
        if parent[0].size and number > parent[0].size:
            return None
        return Group(number, parent[0].size, wide=opened == place + 1), close + 1
