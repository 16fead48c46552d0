"""What is remembered is data: it comes back the same, and whatever else stands in its place is a miss."""

from __future__ import annotations

import json
import marshal
import pickle
import random
from dataclasses import fields
from pathlib import Path

import pytest

from gpuopt_driver import memo, store
from gpuopt_driver.kept import decoded, encoded
from gpuopt_driver.memo import Circumstances, Remembered
from gpuopt_driver.patching import Patches
from gpuopt_driver.report.model import Decision, Finding, Problem, RuleUse, Severity, Timing, UnitReport
from gpuopt_driver.variants.emitted import Emitted

ANY = bytes(range(256)) + "ä\U0001f600\ud83d".encode("utf-8", "surrogatepass")
FINDING = Finding("p", "k", Decision.APPLIED, "P001", "m\udc80", "/a\udcff.cu", 3, 2, {"a_bytes": 1.5, "b": [None, {}]})
REPORT = UnitReport(
    "/a.cu",
    "h200",
    "nvcc",
    (FINDING,),
    (Problem(Severity.NOTE, "n", "p", "f", 4),),
    (Timing("parse", 0.25), Timing("plugin", 1e-9, "p")),
    ({"loops": [{"trip": 10**30}]},),
    ("/a.cu",),
    (RuleUse("/t\udcff.toml", 7, "k*", "*.cu", 0),),
)
EMITTED = Emitted(
    *("k", "v1", ("a", "b"), frozenset({"blockIdx", "gridDim"}), ("x",), 2, (0, 3)),
    constants=(("n", -4),),
    follows=frozenset({"x", "y"}),
)
ROWS = ("0123456789abcdef _Z1kPi -", "0123456789abcdef _Z2k2Pi =\n\tret;\n")
PATCHES = Patches({"/a\udcff.cu": ANY}, {"/a\udcff.cu": b""}, (REPORT,), "why", ("/a.cu",), (EMITTED,), ROWS)
UNDER = Circumstances(
    (("/a.cu", "d" * 64), ("/b\n\udcff.h", "e")),
    (("/n", "1 2 3 4"),),
    (("/l", ""),),
    ("/absent", "/x y"),
    (("UNSET", None), ("EMPTY", ""), ("SET", "=1")),
)
OUTCOME = Remembered("/bin/nvcc", b"told\0\n", b"value\0", memo.SIMPLE)


def test_patches_come_back_the_same() -> None:
    for whole in (PATCHES, REPORT, FINDING, EMITTED):  # a field that is added must be kept, too
        assert all(getattr(whole, field.name) for field in fields(whole))  # type: ignore[arg-type]
    assert decoded(encoded(PATCHES) or b"") == PATCHES
    assert decoded(encoded(Patches()) or b"") == Patches()


@pytest.mark.parametrize(
    "patches",
    [
        Patches(reports=(UnitReport("a", "g", "b", findings=(Finding("p", "k", "applied", "P1", "m", "f", 1),)),)),  # type: ignore[arg-type]
        Patches(reports=(UnitReport("a", "g", "b", facts=({"x": float("nan")},)),)),
        Patches(failure=object()),  # type: ignore[arg-type]
        Patches(reports=(UnitReport("a", "g", "b", timings=(Timing("s", 1),)),)),
    ],
)
def test_what_would_not_come_back_is_not_kept(patches: Patches) -> None:
    assert encoded(patches) is None


def test_other_shapes_are_no_patches() -> None:
    whole = json.loads(encoded(PATCHES) or b"")
    places = [[number] for number in range(8)] + [[3, 0, part] for part in range(9)]
    places += [[6, 0, part] for part in (*range(6), 8)] + [[6, 0, 6, 1], [6, 0, 8, 0, 1], [7, 0]]
    places += [[3, 0, 3, 0, part] for part in range(9)] + [[3, 0, 4, 0, 0], [3, 0, 5, 0, 1], [3, 0, 6, 0]]
    places += [[3, 0, 8, 0, part] for part in range(5)]
    for place in places:
        for wrong in (None, 1, True, [1], {"a": 1}, ["x", {}], float("inf")):
            forged = json.loads(json.dumps(whole))
            at = forged
            for step in place[:-1]:
                at = at[step]
            if type(at[place[-1]]) is type(wrong) and wrong != [1] and wrong != {"a": 1}:
                continue
            at[place[-1]] = wrong
            found = decoded(json.dumps(forged).encode())
            assert found is None or (place[-1] == 8 and wrong == {"a": 1}) or place == [3, 0, 6, 0], (place, wrong)
    for data in (b"", b"[]", b"null", b"[" * 100_000, pickle.dumps(PATCHES), marshal.dumps((1,)), b"\xff", b"1" * 5000):
        assert decoded(data) is None


def test_an_entry_comes_back_the_same() -> None:
    under, known = memo._decoded(memo._encoded(UNDER, OUTCOME))
    assert all(getattr(under, name) == getattr(UNDER, name) for name in Circumstances.__slots__)
    assert all(getattr(known, name) == getattr(OUTCOME, name) for name in Remembered.__slots__)


def test_a_wrong_entry_is_a_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its digest is right: who can write it can compute that."""
    env = {"GPUOPT_CACHE_DIR": str(tmp_path)}
    whole = memo._encoded(UNDER, OUTCOME)
    text = whole.partition(b"\0")[2]
    chance = random.Random(1)
    wrong = [
        b"",
        b"\0",
        b"0\0",
        b"-1\0x",
        b"9" * 5000 + b"\0",
        b"12\0",
        whole[:20],
        text,
        marshal.dumps((1, 2)),
        b"\xb2\0",
    ]
    wrong += [whole[: chance.randrange(len(whole) - 12)] for _ in range(20)]
    wrong += [
        whole.replace(b"\x002\0", b"\x00%s\0" % number) for number in (b"7", b"-2", b"2e", b"\xc2\xb2", b"9" * 30)
    ]
    for data in wrong:
        assert store.put(str(tmp_path), memo.KIND, memo.key_of(["a.cu"], env, "/"), data)
        assert memo.last(["a.cu"], env, "/") is None, data
    assert store.put(str(tmp_path), memo.KIND, memo.key_of(["a.cu"], env, "/"), whole)
    assert memo.last(["a.cu"], env, "/") is not None


def test_only_what_can_be_computed_from_the_arguments_is_passed_on() -> None:
    assert memo.is_plain(["-c", "--gpuopt-gpu=h200", "a.cu"], ["-c", "a.cu"])
    assert not memo.is_plain(["-c", "--gpuopt-gpu", "h200", "a.cu"], ["-c", "a.cu"])
    assert {"argv", "configured"}.isdisjoint(Remembered.__slots__)
