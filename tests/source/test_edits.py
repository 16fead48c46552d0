"""Edits commute or conflict: whatever set is accepted gives the same bytes in every order."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuopt_driver.errors import EditConflict
from gpuopt_driver.source.edits import Edit, apply, merge

DATA = b"for (int i = 0; i < n; ++i) {\r\n  a[i] += \xe9;\r\n}\n"


def edit(start: int, end: int, text: bytes, author: str = "a") -> Edit:
    return Edit("f.cu", start, end, text, author)


def one_by_one(data: bytes, edits: tuple[Edit, ...]) -> bytes:
    """Apply edits in the given order, shifting the later ones: what a careless patcher would do."""
    done: list[Edit] = []
    for item in edits:
        start, end = item.start, item.end
        for other in done:
            delta = len(other.text) - (other.end - other.start)
            if other.end <= item.start and not (other.is_insertion and item.is_insertion and other.start == item.start):
                start, end = start + delta, end + delta
        data = data[:start] + item.text + data[end:]
        done.append(item)
    return data


def test_apply_keeps_undecodable_bytes_and_line_ends() -> None:
    out = apply(DATA, merge([edit(0, 3, b"while"), edit(len(DATA), len(DATA), b"// end\n")]).edits)
    assert out == b"while" + DATA[3:] + b"// end\n"


def test_apply_refuses_a_range_past_the_end() -> None:
    with pytest.raises(ValueError, match="past the end"):
        apply(b"abc", [edit(2, 9, b"")])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (edit(4, 8, b"x", "one"), edit(6, 9, b"y", "two")),
        (edit(4, 8, b"x", "one"), edit(4, 8, b"y", "two")),
        (edit(4, 4, b"x", "one"), edit(4, 4, b"y", "two")),
        (edit(2, 9, b"x", "one"), edit(5, 5, b"y", "two")),
        (edit(2, 9, b"", "one"), edit(5, 7, b"y", "two")),
    ],
)
def test_conflict_names_both_authors(first: Edit, second: Edit) -> None:
    with pytest.raises(EditConflict) as caught:
        merge([first], [second])
    assert {caught.value.first, caught.value.second} == {"one", "two"}
    assert "[[phase]]" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (edit(4, 8, b"x"), edit(8, 9, b"y")),
        (edit(4, 8, b"x"), edit(8, 8, b"y")),
        (edit(4, 8, b"x"), edit(4, 4, b"y")),
        (edit(4, 4, b"xx"), edit(4, 4, b"x")),
        (edit(4, 8, b"x"), edit(4, 8, b"x")),
        (edit(4, 8, b""), edit(6, 9, b"")),
    ],
)
def test_independent_edits_are_accepted(first: Edit, second: Edit) -> None:
    assert apply(DATA, merge([first], [second]).edits) == apply(DATA, merge([second], [first]).edits)


edits = st.builds(
    lambda start, length, text, author: edit(start, start + length, text, author),
    st.integers(0, 12),
    st.integers(0, 4),
    st.sampled_from([b"", b"a", b"aa", b"b", b"ab"]),
    st.sampled_from(["p", "q"]),
)


@given(st.lists(edits, max_size=4))
def test_accepted_sets_give_the_same_bytes_in_every_order(items: list[Edit]) -> None:
    data = bytes(range(65, 90))
    try:
        wanted = apply(data, merge(items).edits)
    except EditConflict:
        return
    for order in itertools.permutations(items):
        assert apply(data, merge(order).edits) == wanted
    plain = merge(items).edits
    if not any(a.end > b.start for a, b in itertools.pairwise(plain)):
        for order in itertools.permutations(plain):
            assert one_by_one(data, order) == wanted


@given(st.binary(max_size=60))
def test_no_edits_change_nothing(data: bytes) -> None:
    assert apply(data, merge().edits) == data
