"""`gpuopt explain` for people: what the model and the plugins said, as text."""

from __future__ import annotations

from dataclasses import replace

from gpuopt_driver.report.kernels import generic, kernel_lines, unit_lines
from gpuopt_driver.report.legend import legend
from gpuopt_driver.report.model import Decision, Finding, Problem, Severity, UnitReport

REFERENCE = {"text": "A[i * n + j]", "step_bytes": 4, "irregular": False}
LOOKED_UP = {
    "text": "t[c[i]]",
    "line": 14,
    "array": "t",
    "space": "global",
    "bytes": 4,
    "reads": True,
    "loops": [],
    "offset_bytes": "4*?",
}
FACTS = {
    "kernel": "ns::gesummv",
    "instantiation": ["float", "4"],
    "file": "/p/gesummv.cu",
    "line": 12,
    "parameters": ["int n", "const float *A"],
    "launch_bounds": ["256", "4"],
    "static_shared_bytes": 1024,
    "dynamic_shared": True,
    "launches": [
        {
            "line": 50,
            "kind": "chevron",
            "grid": ["(n + 255)/256", 1, 1],
            "block": [256, 1, 1],
            "dynamic_shared_bytes": None,
        },
        {
            "line": 51,
            "kind": "cudaLaunchKernel",
            "grid": [None, None, None],
            "block": [16, 16, 1],
            "dynamic_shared_bytes": 64,
        },
    ],
    "loops": [
        {"id": 3, "line": 14, "symbol": "loop3", "variable": "i", "depth": 0, "trips": None},
        {"id": 5, "line": 15, "symbol": "loop5", "variable": "j", "depth": 1, "trips": "n"},
    ],
    "accesses": [
        {
            "text": "A[i * n + j]",
            "line": 16,
            "array": "A",
            "space": "global",
            "bytes": 4,
            "reads": True,
            "writes": False,
            "loops": [3, 5],
            "via": ["load"],
            "offset_bytes": "4*n*loop3 + 4*loop5 + 4*n*threadIdx.x",
            "coefficients_bytes": {"loop3": "4*n", "loop5": 4, "threadIdx.x": "4*n", "blockIdx.x": None},
        },
        {
            "text": "y[i]",
            "line": 18,
            "array": "y",
            "space": "global",
            "bytes": 8,
            "reads": True,
            "writes": True,
            "atomic": True,
            "loops": [3],
            "offset_bytes": None,
            "coefficients_bytes": {},
        },
        {
            "text": "*n",
            "line": 13,
            "array": "n",
            "space": "constant",
            "bytes": 4,
            "reads": True,
            "loops": [],
            "offset_bytes": "0",
            "coefficients_bytes": {},
        },
        {**LOOKED_UP, "coefficients_bytes": {}, "by_data": "thread"},
        {**LOOKED_UP, "coefficients_bytes": {"threadIdx.x": 4}, "by_data": "thread"},
        {**LOOKED_UP, "coefficients_bytes": {}, "by_data": "block", "via": ["f", "g"], "in_called_loop": True},
    ],
    "barriers": [{"kind": "block", "line": 17, "text": "__syncthreads()"}, {"kind": "warp", "line": 19, "text": "x"}],
    "problems": ["defined by a macro"],
    "catt": {
        "resident_warps": 32,
        "limited_by": "registers",
        "loops": [{"line": 15, "trips": "n", "references": [REFERENCE]}],
    },
}
FINDING = Finding(
    "catt",
    "ns::gesummv",
    Decision.APPLIED,
    "CATT002",
    "4 of 8 warps at a time",
    "/p/gesummv.cu",
    15,
    5,
    {"footprint_bytes": 139264, "tlp": [4, 4], "n": 2},
)

EXPECTED = """\
gesummv.cu:12: kernel ns::gesummv<float, 4>(int n, const float *A) __launch_bounds__(256, 4)
  not transformed: defined by a macro
  launch at line 50: grid (n + 255)/256, block 256
  launch at line 51 by cudaLaunchKernel: grid unknown, block [16, 16], dynamic shared memory 64 B
  shared memory: 1024 B static, dynamic
  barriers at line 17
  loop at line 14 over i: unknown number of iterations
    read/write/atomic global y[i] (line 18, 8 B): index not modelled
    loop at line 15 over j: n iterations
      read global A[i * n + j] (line 16 in load, 4 B): i: 4*n, j: 4, threadIdx.x: 4*n, blockIdx.x: not linear
      gesummv.cu:15:5: note: 4 of 8 warps at a time [CATT002]
        catt: applied, footprint 139264 B, TLP [4, 4] (warps per block, blocks), N 2
      catt: trips: n
  outside of the kernel's own loops:
    read constant *n (line 13, 4 B): same address for all threads
    read global t[c[i]] (line 14, 4 B): depends on data
    read global t[c[i]] (line 14, 4 B): threadIdx.x: 4, and data
    read global t[c[i]] (line 14 in f -> g, in a loop there, 4 B): same address for all threads of a block
  catt: resident warps: 32, limited by: registers
"""


def test_a_kernel_with_everything():
    assert "\n".join(kernel_lines(FACTS, [FINDING], "/p")) + "\n" == EXPECTED


def test_a_unit_tells_every_finding_once():
    stray = Finding("vtb", "other", Decision.DECLINED, "VTB001", "why", "/p/x.cu", 1)
    problem = Problem(Severity.WARNING, "plugin vtb raised", "vtb")
    report = UnitReport("/p/gesummv.cu", "h200", "nvcc", (stray, FINDING), (problem,), facts=(FACTS,))
    lines = list(unit_lines(report, "/p"))
    assert lines[0] == "gesummv.cu: warning: plugin vtb raised"
    assert sum("CATT002" in line for line in lines) == sum("VTB001" in line for line in lines) == 1
    assert lines[-1] == "2 kernels for h200: 1 applied, 1 declined, 0 not applicable, 1 problem"


def test_what_was_printed_is_explained_once_behind_it():
    figures = {"n": 2, "exact": True, "loads": [[1]], "only_measured": False}
    findings = [replace(FINDING, figures=figures, line=line) for line in (12, 13)]
    beside = Finding("vtb", "ns::gesummv", Decision.NOT_APPLICABLE, "VTB001", "why", "/p/x.cu", 1, figures={"m": 1})
    report = UnitReport("/p/gesummv.cu", "h200", "nvcc", (*findings, beside), facts=(FACTS,))
    own = {"catt": {"n": "groups", "loads": "never shown"}, "vtb": {"m": "of what is not shown"}}
    lines = list(unit_lines(report, "/p", every=False, meanings=own))
    assert lines[0] == "gesummv.cu: decided for h200, as nvcc builds it"
    start = lines.index("in the lines above:")
    names = [line.split(":")[0].strip() for line in lines[start + 1 : -2] if not line.startswith("    ")]
    assert names == ["accesses", "exact", "N"]
    assert lines[-3] == "  N: groups"
    assert "in the lines above:" not in unit_lines(report, "/p")
    two = {"catt": {"n": "groups"}, "other": {"n": "another thing"}}
    shared = list(legend([*findings, replace(FINDING, plugin="other", figures={"n": 1})], two, accesses=False))
    assert shared[-3:] == ["  N (catt): groups", "  N (other): another thing", ""]


def test_that_launches_of_a_kernel_tell_nothing_is_said():
    declined = replace(FINDING, decision=Decision.DECLINED)
    for findings, expected in (((declined,), 1), ((declined, FINDING), 0), ((), 0)):
        lines = list(unit_lines(UnitReport("/p/gesummv.cu", "h200", "nvcc", findings, facts=(FACTS,)), "/p"))
        assert sum("GPUOPT_DISPATCH=trace prints none of them" in line for line in lines) == expected


def test_instantiations_do_not_repeat_findings():
    facts = ({**FACTS, "instantiation": ["int"]}, {**FACTS, "instantiation": ["float"]})
    lines = list(unit_lines(UnitReport("/p/gesummv.cu", "h200", "nvcc", (FINDING,), facts=facts), "/p"))
    assert sum("kernel ns::gesummv<" in line for line in lines) == 2
    assert sum("CATT002" in line for line in lines) == 1


def test_a_unit_without_kernels_says_so():
    lines = list(unit_lines(UnitReport("/p/x.cu", "h200", "nvcc"), "/p"))
    assert lines == ["x.cu: no kernels", "0 kernels for h200: 0 applied, 0 declined, 0 not applicable"]


def test_a_kernel_with_only_what_the_schema_requires():
    assert list(kernel_lines({"kernel": "k"}, ())) == ["kernel k()", "  launch: none in this file"]


def test_any_facts_are_readable():
    value = {
        "a": None,
        "b": True,
        "c": [],
        "d": {},
        "e": [[1, 2], [3]],
        "f": [{"x": 1, "y": [1]}, 2, {"z": {"u": [[1]]}}],
    }
    assert list(generic(value)) == [
        "a: unknown",
        "b: yes",
        "c: []",
        "d: none",
        "e:",
        "  - [1, 2]",
        "  - [3]",
        "f:",
        "  - x: 1, y: [1]",
        "  - 2",
        "  - z:",
        "      u:",
        "        - [1]",
    ]


def test_what_does_not_apply_is_one_line_unless_all_is_asked_for():
    def beside(plugin, code):
        return Finding(plugin, "ns::gesummv", Decision.NOT_APPLICABLE, code, "why not", "/p/gesummv.cu", 12)

    findings = (FINDING, beside("vtb", "VTB001"), beside("read_only", "READONLY002"), beside("constants", "GPUOPT005"))
    report = UnitReport("/p/gesummv.cu", "h200", "nvcc", findings, facts=(FACTS,))
    short, whole = (list(unit_lines(report, "/p", every=every)) for every in (False, True))
    assert [line for line in short if "not applicable:" in line] == [
        "  not applicable: vtb, read_only (--all shows why)"
    ]
    assert not any("VTB001" in line or "READONLY002" in line for line in short)
    for code in ("CATT002", "GPUOPT005"):  # what was applied, and what the policy leaves out
        assert sum(code in line for line in short) == 1
    assert all(any(one.code in line for line in whole) for one in findings)
    assert not any("--all" in line for line in whole)
    assert short[-1] == whole[-1] == "1 kernel for h200: 1 applied, 0 declined, 3 not applicable"


def test_versions_for_measurements_alone_are_not_called_applied():
    measured = replace(FINDING, figures={"tlp": [8, 4], "only_measured": True})
    lines = list(unit_lines(UnitReport("/p/gesummv.cu", "h200", "nvcc", (measured,), facts=(FACTS,)), "/p"))
    assert any(line.strip().startswith("catt: to be measured, TLP [8, 4]") for line in lines)
    assert not any("only measured" in line for line in lines)
    assert lines[-1] == "1 kernel for h200: 0 applied, 1 to be measured, 0 declined, 0 not applicable"


def _said(plugin: str, kernel: str, line: int, code: str = "X001") -> Finding:
    return Finding(plugin, kernel, Decision.NOT_APPLICABLE, code, "left alone", "/p/a.cu", line)


def test_overloads_have_their_own_findings() -> None:
    facts = tuple({"kernel": "k", "file": "/p/a.cu", "line": line} for line in (3, 3, 9))  # two of a template
    findings = (_said("late", "k", 10), _said("early", "k", 5), _said("above", "k", 1))
    lines = list(unit_lines(UnitReport("/p/a.cu", "h200", "nvcc", findings, facts=facts)))
    first, second, third = "\n".join(lines).split(" kernel k")[1:]
    assert ("early: not" in first, "above: not" in first, "late: not" in first) == (True, True, False)
    assert ": not applicable" not in second
    assert second.count("no version is made") == 1
    assert third.count("late: not applicable") == third.count(": not applicable") == 1


def test_what_the_core_says_of_all_plugins_is_said_once() -> None:
    findings = tuple(_said(name, "k", 3, code) for code in ("GPUOPT016", "X001") for name in ("one", "other"))
    facts = ({"kernel": "k", "file": "/p/a.cu", "line": 3},)
    text = "\n".join(unit_lines(UnitReport("/p/a.cu", "h200", "nvcc", findings, facts=facts)))
    assert text.count("[GPUOPT016]\n    one, other: not applicable\n") == 1
    assert text.count("[X001]") == 2
