"""The line locator against the real parser: same keys, right lines."""

from __future__ import annotations

import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuopt_driver.policy.locate import locate

SAMPLE = r'''# comment = "no key"
[driver]
backend = "auto" # [not.a.table]
a.b."c d".'e.f' = [1, 2,
  3, # ] no end
 { x = 1, y.z = "}" },
]
s = """
[no]
k = 1 \""" ""\""""

[[kernel]]
name = "x"
[kernel.plugins.catt]
when = 1979-05-27T07:32:00Z
[[kernel]]
plugins.catt = { enabled = false, o = { "p\"q" = 1 } }
  [[kernel.sub]]
  q = \'\'\'a'
  \'\'\'
  [[kernel.sub]]
["a".'b'. c]
z = inf
lit = '\'
'''.replace("\\'\\'\\'", "'''")


def paths(value, path=()):
    """Every path of a parsed document."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths(item, (*path, index))


def test_every_key_of_a_hard_document_is_found():
    assert set(locate(SAMPLE)) == set(paths(tomli.loads(SAMPLE)))


def test_lines_of_a_hard_document():
    lines = locate(SAMPLE)
    assert lines["driver",] == 2
    assert lines["driver", "a", "b", "c d", "e.f", 2] == 5
    assert lines["driver", "a", "b", "c d", "e.f", 3, "y", "z"] == 6
    assert lines["driver", "s"] == 8
    assert lines["kernel", 0] == 12
    assert lines["kernel", 0, "plugins", "catt", "when"] == 15
    assert lines["kernel", 1, "plugins", "catt", "o", 'p"q'] == 17
    assert [lines["kernel", 1, "sub", index] for index in (0, 1)] == [18, 21]
    assert lines["a", "b", "c"] == 22
    assert lines["a", "b", "c", "lit"] == 24


def test_a_header_after_its_children_says_where_the_table_is():
    assert locate("[a.b]\nx = 1\n[a]\ny = 2\n")["a",] == 3


def test_windows_line_ends():
    assert locate('[a]\r\nx = """\r\n"""\r\ny = 1\r\n') == {("a",): 1, ("a", "x"): 2, ("a", "y"): 4}


def test_strings_with_quotes_at_their_ends():
    text = 'a = """x""\\""""\nb = """"y"""""\nc = \'\'\'\'z\'\'\'\'\'\nd = ""\ne = ""\n'
    assert set(tomli.loads(text)) == set("abcde")
    assert [locate(text)[key,] for key in "abcde"] == [1, 2, 3, 4, 5]


KEYS = st.one_of(
    st.from_regex(r"[A-Za-z0-9_-]{1,4}", fullmatch=True),
    st.from_regex(r"[ab]", fullmatch=True),
    st.sampled_from(['"q r"', "'l.m'", '"#"', '"]"', '"a\\"b"']),
)
SCALARS = st.sampled_from(
    [
        "1",
        "0x1F",
        "1.5e3",
        "true",
        "inf",
        '"s # = ] }"',
        "'l[{'",
        '"""m\n[x]\ny = 1"""',
        "'''\n#'''",
        "1979-05-27",
        "07:32:00",
        '""',
        '"\\\\"',
        '"""a\\\n  b"""',
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[ " + ", # ]\n".join(items) + " ]"),
        st.lists(st.tuples(KEYS, SCALARS), max_size=2).map(
            lambda pairs: "{ " + ", ".join(f"{key} = {value}" for key, value in pairs) + " }"
        ),
    ),
    max_leaves=4,
)
DOTTED = st.lists(KEYS, min_size=1, max_size=3).map(" . ".join)
STATEMENTS = st.one_of(
    st.tuples(DOTTED, VALUES).map(lambda pair: f"  {pair[0]} =\t{pair[1]} # x = 1"),
    DOTTED.map(lambda key: f"[ {key} ] # c"),
    DOTTED.map(lambda key: f"[[{key}]]"),
    st.sampled_from(["", "# [a]", "   "]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(STATEMENTS, max_size=8))
def test_whatever_parses_is_located_completely(statements):
    kept: list[str] = []
    for statement in statements:  # what makes the document wrong is left out
        try:
            tomli.loads("\n".join((*kept, statement)))
        except tomli.TOMLDecodeError:
            continue
        kept.append(statement)
    text = "\n".join(kept)
    lines = locate(text)
    assert set(lines) == set(paths(tomli.loads(text)))
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
