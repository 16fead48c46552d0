"""What fails gets smaller and still fails; what is compared is compared by bits."""

from __future__ import annotations

import sys

from .on_gpu import differences, parsed
from .policies import Run
from .program import Program, program
from .shrink import shrink, shrink_seed
from .tree import block, expression, put, simpler, size, statement, walk, without
from .verdict import Failure, Verdict, compare, summary
from .workshop import Ran

LINES = ("k0 0 error 0 0 U 00000001 V 00000002 bins 00000003", "k1 0 error 0 0 U 00000004 V 00000005 bins 00000006")


def _ran(*lines: str, status: int = 0) -> Ran:
    return Ran(status, lines, "", frozenset())


def test_the_least_program_keeps_what_the_failure_needs() -> None:
    made = next(one for one in map(program, range(100)) if "atomicAdd(&bins" in one.text)
    asked = 0

    def fails(candidate: Program) -> bool:
        nonlocal asked
        asked += 1
        return "atomicAdd(&bins" in candidate.text

    least = shrink(made, fails, tries=2000)
    assert "atomicAdd(&bins" in least.text
    assert len(least.kernels) == 1
    assert len(least.launches) == 1
    assert asked > 10
    statements = [node for _, node in walk(least.kernels[0].body) if node.kind in ("stmt", "keep")]
    assert len(statements) == 1
    assert shrink(least, fails) == least


def test_shrinking_ends_after_so_many_tries() -> None:
    asked = []
    shrink(program(1), lambda candidate: bool(asked.append(1)), tries=7)
    assert len(asked) == 7


def test_a_race_is_found_where_the_run_is_named_as_in_the_results(monkeypatch, tmp_path, capsys) -> None:
    made = program(1)
    kernel = made.kernels[0].name

    def examined(shop, candidate, chosen, plugins=(), *, check=False) -> Verdict:
        failures = [Failure("races", "vtb", kernel)] if check else []
        return Verdict(1, len(candidate.kernels), len(candidate.launches), failures)

    monkeypatch.setattr(sys.modules[shrink_seed.__module__], "examine", examined)
    assert shrink_seed(made, 0, kernel, "vtb", tmp_path, None) == 1
    assert "races, run vtb" in capsys.readouterr().out


def test_trees_are_changed_in_one_place() -> None:
    tree = block(
        statement("a = ", expression("u", "(", expression("u", "b"), " + ", expression("u", "c"), ")"), ";"),
        statement("d;"),
    )
    assert str(tree) == "a = (b + c);\nd;"
    assert [str(one) for one in simpler(tree.parts[0].parts[1])] == ["1u", "v0", "b", "c"]
    assert str(put(tree, (0, 1), expression("u", "1u"))) == "a = 1u;\nd;"
    assert str(without(tree, (), 0, 1)) == "d;"
    assert size(tree) == 6


def test_differences_name_kernel_launch_and_kind() -> None:
    original, run = _ran(*LINES), Run("vtb", {})
    assert compare(original, _ran(*LINES), run) == []
    other = LINES[1].replace("00000004", "0000000f")
    (failure,) = compare(original, _ran(LINES[0], other), run)
    assert (failure.kind, failure.kernel, failure.launch, failure.plugin) == ("other bits", "k1", 0, "vtb")
    (failure,) = compare(original, _ran(LINES[0], other.replace("error 0", "error 700")), run)
    assert failure.kind == "launch error"
    said = compare(_ran("turn 3", *LINES), _ran("turn 4", *LINES), run)
    assert [(one.kind, one.kernel) for one in said] == [("host's output", LINES[0].split()[0])]
    (failure,) = compare(original, _ran(LINES[0], status=-11), run)
    assert (failure.kind, failure.kernel) == ("crash", "k1")
    (failure,) = compare(original, _ran(LINES[0], status=124), run)
    assert failure.kind == "hang"


def test_the_first_element_that_differs_is_found() -> None:
    before = bytes(4 * 2 * (4096 + 4096 + 64))
    after = bytearray(before)
    after[4 * (4096 + 4096 + 64) + 4 * (4096 + 5)] = 7
    assert differences(before, bytes(after), LINES) == {("k1", 0): "V[5] 00000000 became 00000007"}
    assert differences(before, before[:-4], LINES) == {("k1", 0): "the run ended before"}
    assert parsed("warning: something") is None


def test_the_summary_counts_kernels_versions_and_failures() -> None:
    line = {
        "kernels": 4,
        "launches": 8,
        "seconds": 2.0,
        "taken": {"vtb": ["k0"], "vtb 3 1": ["k0", "k1"], "catt": []},
        "versions": {"vtb": 1},
        "codes": {"catt declined CATT010": 3},
        "failures": [{"kind": "hang", "run": "vtb 3 1"}],
    }
    text = summary([line])
    assert "kernels 4, launches 8, building 2 s, kernels with a version 2 (50 %)" in text
    assert "vtb                   1 kernels (25 %)" in text
    assert "catt declined CATT010" in text
    assert "FAILED hang (vtb)" in text
