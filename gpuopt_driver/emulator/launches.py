"""`K<<<configuration>>>(arguments)` becomes `(push_call(configuration) ? (void)0 : K(arguments))`.

The host compiler resolves K: overloads, templates, function pointers, names that depend on template parameters.
"""

from __future__ import annotations

from gpuopt_driver.emulator.lexer import Tokens

_KEYWORDS = frozenset(
    {b"return", b"else", b"do", b"case", b"goto", b"throw", b"co_return", b"co_yield", b"if", b"while", b"for"}
    | {b"switch", b"sizeof", b"new", b"delete", b"not", b"and", b"or", b"xor", b"decltype"}
)


def _opens(tokens: Tokens, index: int) -> bool:
    """Whether the three tokens from `index` on are `<<<` of a launch."""
    return (
        tokens.at(index) == tokens.at(index + 1) == tokens.at(index + 2) == b"<"
        and tokens.at(index - 1) != b"operator"
        and tokens.text[index] != b""
    )


def _closing(tokens: Tokens, index: int) -> int:
    """The first of the tokens of the `>>>` that ends the configuration beginning at `index`, -1 if there is none."""
    while index < len(tokens):
        text = tokens.at(index)
        if text == b">" and tokens.at(index + 1) == tokens.at(index + 2) == b">" and tokens.at(index + 3) == b"(":
            return index
        if text in (b";", b"}", b")", b"]") or (text == b"{" and tokens.match[index] < index):
            return -1
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return -1


def _template_start(tokens: Tokens, index: int) -> int:
    """The word before the `<` that matches the `>` at `index`, -1 if it is no template argument list."""
    depth = 0
    while index >= 0:
        text = tokens.at(index)
        if text in (b")", b"]", b"}"):
            index = tokens.match[index]
        elif text == b">":
            depth += 1
        elif text == b"<":
            depth -= 1
            if depth == 0:
                return index - 1 if tokens.is_word(index - 1) else -1
        elif text == b";":
            return -1
        index -= 1
    return -1


def _primary(tokens: Tokens, index: int) -> int:
    """Where the primary expression ends that ends at `index` begins; -1 if there is none."""
    text = tokens.at(index)
    if text == b">":
        return _template_start(tokens, index)
    if text == b"]":
        before = tokens.match[index] - 1
        return _primary(tokens, before) if before >= 0 else -1
    if text == b")":
        opened = tokens.match[index]
        if opened < 0:
            return -1
        before = opened - 1
        if tokens.at(before) == b">":  # static_cast<...>(kernel)
            cast = _template_start(tokens, before)
            return cast if cast >= 0 and tokens.at(cast) not in _KEYWORDS else opened
        is_call = tokens.is_word(before) and tokens.at(before) not in _KEYWORDS
        return before if is_call else opened
    if tokens.is_word(index) and text not in _KEYWORDS:
        return index
    return -1


def head_of(tokens: Tokens, index: int) -> int:
    """Where the expression begins that names the kernel and ends at `index`; -1 if nothing there names one."""
    start = _primary(tokens, index)
    while start > 0:
        before = tokens.at(start - 1)
        if before == b"template":
            start -= 1
        elif before == b"::":
            outer = _primary(tokens, start - 2)
            if outer < 0 or tokens.at(start - 2) == b")":
                return start - 1  # ::kernel
            start = outer
        elif before in (b".", b"->"):
            outer = _primary(tokens, start - 2)
            if outer < 0:
                return start
            start = outer
        else:
            return start
    return start


def rewrite_launches(tokens: Tokens) -> None:
    """Rewrite every launch, the inner ones first."""
    for opened in reversed(tokens.places(b"<")):
        if not _opens(tokens, opened) or (opened > 0 and _opens(tokens, opened - 1)):
            continue
        closed = _closing(tokens, opened + 3)
        head = head_of(tokens, opened - 1)
        if closed < 0 or head < 0:
            continue
        arguments = closed + 3
        configuration = tokens.join(opened + 3, closed) + tokens.gap[closed]
        kernel = tokens.join(head, opened) + tokens.gap[opened]
        first = tokens.gap[opened + 3]
        tokens.clear(head, arguments)
        for index in range(head + 1, arguments):
            tokens.gap[index] = b""
        tokens.text[head] = b"(::gpuopt_emu::push_call(" + first + configuration + b")?(void)0: " + kernel
        last = tokens.match[arguments]
        tokens.text[last] += b")"
