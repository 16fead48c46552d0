"""Sums in device code, written so that the host compiler fuses the products that nvcc fuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.contraction.calls import Call, Unit
from gpuopt_driver.emulator.contraction.choice import choose, choose_of_sixteen
from gpuopt_driver.emulator.contraction.inline import Reader
from gpuopt_driver.emulator.contraction.sixteen import SixteenReader
from gpuopt_driver.emulator.contraction.values import (
    CARRIED,
    CHOICE,
    DIFFERENCE,
    PRODUCT,
    SUM,
    Shape,
    Site,
    Star,
    Value,
    Values,
    number_of,
)
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.structure import Function

_OWN = (b";", b"{", b"}")


@dataclass(slots=True)
class Fused:
    """What is decided for a function, or for one call of one: the `*` that are fused, and all of which it is known
    whether they are; variables that stand for a product, and sums (`s += x`) whose variable does."""

    stars: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    names: dict[int, Shape] = field(default_factory=dict)
    sums: dict[int, tuple[Shape, Site]] = field(default_factory=dict)
    alone: set[int] = field(default_factory=set)  # `*` whose product is rounded by itself
    turns: dict[int, bytes] = field(default_factory=dict)  # ... in some turns of a loop
    calls: dict[Call, Fused] = field(default_factory=dict)
    skipped: list[tuple[int, int]] = field(default_factory=list)  # what was not read of the function
    quotients: set[int] = field(default_factory=set)  # `/` and `/=` of floats
    stores: set[int] = field(default_factory=set)  # `=` that put what was computed into memory

    def of(self, call: Call | None) -> Fused:
        """What is decided for a call."""
        return self if call is None else self.calls.setdefault(call, Fused())

    def put(self, chosen: Mapping[Value, Value | None], tokens: Tokens) -> None:
        """Each sum's product, or None, as `chosen`."""
        for total, product in chosen.items():
            for site in total.sites:
                here = self.of(site.call)
                for shape in (site.left, site.right):
                    if shape is not None and shape.star is not None and shape.name < 0:
                        here.known.add(shape.star.at)
                if product is None:
                    continue
                left = product is site.first
                shape = site.left if left else site.right
                if shape is not None:
                    here.add(site, shape, left=left, tokens=tokens)

    def add(self, site: Site, shape: Shape, *, left: bool, tokens: Tokens) -> None:
        """The product of this shape is fused with the sum there."""
        if shape.star is None:
            return
        if shape.name < 0:
            self.stars.add(shape.star.at)
        elif tokens.at(site.operator) in (b"+=", b"-=") and (left or shape.name < site.operator):
            if shape.name == site.operator - 1:  # also where signs have changed the operands' places
                self.sums[site.operator] = shape, site
        else:
            self.names[shape.name] = shape


def _read(reader: Reader, function: Function) -> Values:
    try:
        return reader.function(function.params, function.body)
    except RecursionError as error:
        raise Declined("nested too deeply") from error


def _changes_nothing(value: Value, part: Value) -> bool:
    """Whether LLVM leaves the other operand as it is: `x * 1`, `x - 0`."""
    number = number_of(part)
    return number is not None and str(number) == ("1.0" if value.op == PRODUCT else "-0.0")


def _is_computed(value: Value) -> bool:
    """Whether a value is a sum, a difference or a product, or one of several of these and of constants."""
    seen, todo, computed = set(), [value], False
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op in (CHOICE, CARRIED):
            todo += one.args
        elif one.op in (SUM, DIFFERENCE, PRODUCT):
            rest = [part for part in one.args if not _changes_nothing(one, part)]
            if len(rest) == 1:
                todo += rest
            else:
                computed = True
        elif any(number_of(part) is None for part in (one.args if one.op == "other" and one.args else [one])):
            return False  # neither a constant nor made of some
    return computed


def fused_in(tokens: Tokens, function: Function, unit: Unit) -> Fused:
    """What nvcc fuses in a function of numbers of 32 and 64 bits; raises Declined if it cannot be read."""
    found = Fused()
    reader = Reader(tokens, unit)
    values = _read(reader, function)
    found.alone = {star.at for value in reader.kept.rounded for star in value.stars if star.call is None}
    found.turns = {
        star.at: turns for value, turns in reader.kept.turns.items() for star in value.stars if star.call is None
    }
    found.known |= reader.constants
    found.quotients = reader.quotients
    found.stores = {at for at, value in reader.stores if _is_computed(value)}
    chosen = choose(values, reader.kept.rounded, kernel=_is_kernel(tokens, function))
    found.put(chosen.products, tokens)
    for star in {star for value in chosen.rounded for star in value.stars}:
        here = found.of(star.call)
        if star.at not in here.stars and star.at not in here.turns:
            here.alone.add(star.at)
    return found


def _is_kernel(tokens: Tokens, function: Function) -> bool:
    return b"__global__" in tokens.original[function.head : function.params]


def sixteen_fused_in(tokens: Tokens, function: Function, unit: Unit) -> Fused:
    """What nvcc fuses in a function of halves and bfloat16; raises Declined if it cannot be read."""
    found = Fused()
    reader = SixteenReader(tokens, unit)
    values = _read(reader, function)
    found.put(choose_of_sixteen(values, kernel=_is_kernel(tokens, function)), tokens)
    found.skipped = reader.skipped
    return found


def _renamed(tokens: Tokens, first: int, end: int, call: Call | None, texts: Mapping[int, bytes]) -> bytes:
    """Tokens with other texts, and with the names that a call's parameters have outside."""
    if call is None and not texts:
        return tokens.join(first, end)
    parts: list[bytes] = []
    for index in range(first, end):
        text = texts.get(index, tokens.text[index])
        word = tokens.kind[index] is Kind.WORD and tokens.at(index - 1) not in (b".", b"->")
        if call is not None and word and index not in texts:
            text = call.outside.get(tokens.at(index), text)
        parts += [tokens.separator(index), text]
    return b"".join(parts[1:])


def _again(tokens: Tokens, shape: Shape, name: bytes, mark: bytes = b" ::gpuopt_emu::fuse *") -> bytes:
    """The product that a variable stands for, to be fused; `mark` goes behind its `*`."""
    star = shape.star
    if star is None:
        return name
    sign = b"-" if shape.minus else b""
    if tokens.at(star.at) != b"*" and not star.made:  # a call
        return b"::gpuopt_emu::again(%s,%s%s,%s))" % (name, sign, tokens.join(star.first, star.at), mark[:-1])
    ends = ((star.first, star.at), (star.at + 1, star.end))
    left, right = star.made or (_renamed(tokens, *both, star.call, {}) for both in ends)
    product = b"(%s)*%s(%s)" % (left, mark, right)
    return b"::gpuopt_emu::again(%s,%s)" % (name, b"-(%s)" % product if shape.minus else product)


def _place(tokens: Tokens, shape: Shape) -> bytes:
    """The variable or the member as it is written."""
    return tokens.join(shape.name if shape.start < 0 else shape.start, shape.name + 1)


def _put_again(tokens: Tokens, shape: Shape, mark: bytes = b" ::gpuopt_emu::fuse *") -> None:
    """Write the product in place of the variable or the member."""
    first = shape.name if shape.start < 0 else shape.start
    text = _again(tokens, shape, _place(tokens, shape), mark)
    tokens.clear(first, shape.name + 1)
    tokens.text[first] = text


def mark_products(tokens: Tokens, fused: Fused, mark: bytes) -> None:
    """Write the products that are fused so that they are."""
    for at in fused.stars | fused.alone:
        if tokens.text[at] == b"*" and at in fused.alone:
            tokens.text[at] += b" ::gpuopt_emu::alone *"
        elif tokens.text[at] == b"*" and at in fused.turns:
            tokens.text[at] += b" ::gpuopt_emu::FuseIf{!%s} *" % fused.turns[at]
        elif tokens.text[at] == b"*":
            tokens.text[at] += mark
        elif tokens.text[at] == b")":  # of a function that is a product
            tokens.text[at] = b",%s)" % mark[:-1]


def _both(mark: bytes) -> bytes:
    """The mark of products that are fused whatever their type."""
    return mark.replace(b"fuse_", b"fuse_all_")


def write_sixteen(tokens: Tokens, fused: Fused, mark: bytes, real: bytes) -> None:
    """Write the products of 16 bits that are fused; `real`: what `mark_products` has put behind other ones."""
    for at in fused.stars:
        if tokens.text[at] == b"*":
            tokens.text[at] += mark
        elif tokens.text[at] == b"*" + real:
            tokens.text[at] = b"*" + _both(mark)
        elif tokens.text[at] == b")":
            tokens.text[at] = b",%s)" % mark[:-1]


def _words(tokens: Tokens, star: Star) -> tuple[bytes, ...]:
    """The words of a product, with the names that they have outside of calls."""
    words = (tokens.at(index) for index in range(star.first, star.end) if tokens.is_word(index))
    return tuple(word if star.call is None else star.call.outside.get(word, word) for word in words)


def _note_words(tokens: Tokens, fused: Fused) -> None:
    """Note which words the products have that are about to stand in place of variables."""
    for at, shape in [*fused.names.items(), *((at - 1, shape) for at, (shape, _) in fused.sums.items())]:
        if shape.star is not None:
            tokens.also[at] = _words(tokens, shape.star)


def write_sixteen_variables(tokens: Tokens, fused: Fused, mark: bytes, real: bytes) -> None:
    """Write the variables that stand for products of 16 bits that are fused, where no other ones are."""
    _note_words(tokens, fused)
    for at in sorted([*fused.names, *fused.sums]):
        if tokens.text[at] != tokens.at(at):  # of a type that is not known
            tokens.text[at] = tokens.text[at].replace(real, _both(mark))
        elif at in fused.names:
            _put_again(tokens, fused.names[at], mark)
        else:
            shape, site = fused.sums[at]
            again = _again(tokens, shape, _place(tokens, shape), mark)
            tokens.text[at] = b"=%s%s(" % (again, tokens.at(at)[:1])
            tokens.text[site.end - 1] += b")"


def write_variables(tokens: Tokens, fused: Fused, mark: bytes, before: list[bytes]) -> None:
    """Write the variables that stand for products that are fused; `before`: the tokens as they were."""
    _note_words(tokens, fused)
    for at in sorted([*fused.names, *fused.sums]):
        if at in fused.names:
            _put_again(tokens, fused.names[at])
        else:
            shape, site = fused.sums[at]
            tokens.text[at] = b"=%s%s(" % (_again(tokens, shape, _place(tokens, shape)), tokens.at(at)[:1])
            tokens.text[site.end - 1] += b")"
    shapes = [*fused.names.values(), *(shape for shape, _ in fused.sums.values())]
    for star in {shape.star for shape in shapes if shape.star is not None and shape.star.made}:
        _write_factors(tokens, star)
    for call, inside in fused.calls.items():
        if any(shape.star is None or shape.star.call is not call for shape in inside.names.values()):
            _write_call(tokens, call, inside, mark, before)


def _write_factors(tokens: Tokens, star: Star) -> None:
    """Write `v *= x` or `v = x * y` so that both factors have names, and keep them."""
    left, right = star.made
    if tokens.at(star.at) == b"*":
        equals = next(index for index in range(star.first, star.at) if tokens.at(index) == b"=")
        place = tokens.join(star.first, equals)
        tokens.clear(star.first, equals + 1)
        tokens.text[equals] = b"const auto %s=(" % left
        tokens.text[star.at] = b");const auto %s=(" % right
    else:
        kind = {"f": b"float", "d": b"double"}[star.held[0][1].kind]
        place = tokens.join(star.first, star.at)
        tokens.text[star.first] = b"const %s %s=" % (kind, left) + tokens.text[star.first]
        tokens.text[star.at] = b";const %s %s=(" % (kind, right)
    tokens.text[star.end - 1] += b");%s=%s*%s" % (place, left, right)


def _write_call(tokens: Tokens, call: Call, fused: Fused, mark: bytes, before: list[bytes]) -> None:
    """Write a function's body in place of its call: a product from outside is fused with a sum of the body."""
    function = call.callee.function
    close = tokens.match[function.body]
    alone = tokens.at(call.at - 1) in _OWN and tokens.at(call.close + 1) == b";"
    plain = not fused.sums and all(shape.start < 0 for shape in fused.names.values())
    if not alone or not call.written or call.deep or not plain or b"return" in tokens.original[function.body : close]:
        return
    texts = {}
    for index in range(function.body, close + 1):
        if index in fused.stars:
            texts[index] = before[index] + mark
        elif index in fused.names:
            name = tokens.at(index)
            texts[index] = _again(tokens, fused.names[index], call.outside.get(name, name))
        elif tokens.text[index] != before[index]:
            texts[index] = before[index]
    tokens.text[call.at] = _renamed(tokens, function.body, close + 1, call, texts)
    tokens.clear(call.at + 1, call.close + 1)
