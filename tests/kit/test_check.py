"""The kit finds what is wrong with a plugin: other bytes, other findings, other results, rewrites that nobody ran."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from gpuopt_driver.errors import UsageError
from gpuopt_driver.hooks import PluginInfo, Proposal, hookimpl
from gpuopt_driver.report.model import Decision, Finding
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.testing import Case, Pick, assert_same_output, check_case, check_execution, execute
from gpuopt_driver.testing.cases import CaseError, read_case
from gpuopt_driver.variants.model import Variant

KERNEL = """__global__ void add(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}
void all(float *x, int n) { add<<<(n + 63) / 64, 64>>>(x, n); }
"""
RUN = "// run: grid=2 block=64 n=100 x=n\n"


def plugin(old: str, new: str, *, code: str = "SWAP001", guard: str | None = None) -> ModuleType:
    """Replaces a text in every kernel that has it: in place, or in a version with this guard."""

    @hookimpl
    def gpuopt_describe() -> PluginInfo:
        return PluginInfo("swap", "swaps", {"SWAP001": "swapped", "SWAP002": "not there"})

    @hookimpl
    def gpuopt_propose(kernel, context) -> Proposal:
        at = context.unit.files[kernel.span.file].data.find(old.encode(), kernel.span.start, kernel.span.end)
        said, decision = (code, Decision.APPLIED) if at >= 0 else ("SWAP002", Decision.DECLINED)
        span = kernel.name_span
        finding = Finding("swap", kernel.qualified, decision, said, "a text", span.file, span.line)
        edits = (Edit(span.file, at, at + len(old), new.encode()),) if at >= 0 else ()
        if guard is None or at < 0:
            return Proposal((finding,), edits)
        return Proposal((finding,), (), (Variant(kernel.usr, "swapped", edits, guard),))

    made = ModuleType("swap")
    made.gpuopt_describe, made.gpuopt_propose = gpuopt_describe, gpuopt_propose
    return made


def case(directory: Path, text: str = KERNEL, name: str = "a") -> Case:
    path = directory / f"{name}.cu"
    path.write_text(text)
    return read_case(path)


def test_expected_files_are_written_once_and_held_afterwards(tmp_path: Path) -> None:
    made = case(tmp_path, RUN + KERNEL)
    with pytest.raises(AssertionError, match=r"a.expected.cu: there is no such file; pytest --update-golden"):
        check_case(made, plugin("1.0f", "(1.0f)"))
    check_case(made, plugin("1.0f", "(1.0f)"), update=True)
    assert made.expected.read_text() == RUN + KERNEL.replace("1.0f", "(1.0f)")
    assert made.report.read_text() == "add applied SWAP001\n"
    check_case(made, plugin("1.0f", "(1.0f)"))
    with pytest.raises(AssertionError, match=r"a.expected.cu: differs(?s:.*)\+    if \(i < n\) x\[i\] \+= 1;"):
        check_case(made, plugin("1.0f", "1"))
    made.report.write_text("add declined SWAP002\n")
    with pytest.raises(AssertionError, match=r"a.report.txt: differs"):
        check_case(made, plugin("1.0f", "(1.0f)"))


def test_a_noop_must_not_be_touched_and_another_must(tmp_path: Path) -> None:
    made = case(tmp_path, name="noop_a")
    check_case(made, plugin("nowhere", ""), update=True)
    assert made.report.read_text() == "add declined SWAP002\n"
    assert not made.expected.exists()
    with pytest.raises(AssertionError, match="must not be touched"):
        check_case(made, plugin("1.0f", "1"))
    made.expected.write_text("")
    with pytest.raises(CaseError, match="has no expected file"):
        check_case(made, plugin("nowhere", ""))
    with pytest.raises(AssertionError, match="nothing was changed; add: SWAP002 a text"):
        check_case(case(tmp_path), plugin("nowhere", ""))


def test_a_plugin_that_fails_or_has_unexplained_codes_is_told_so(tmp_path: Path) -> None:
    @hookimpl
    def gpuopt_propose(kernel) -> Proposal:
        raise ValueError("bad day")

    broken = plugin("", "")
    broken.gpuopt_propose = gpuopt_propose
    with pytest.raises(AssertionError, match="plugin swap raised ValueError: bad day"):
        check_case(case(tmp_path), broken)
    with pytest.raises(AssertionError, match="the code SWAP009 is not among those of gpuopt_describe"):
        check_case(case(tmp_path), plugin("1.0f", "1", code="SWAP009"))
    with pytest.raises(UsageError, match="plugin cat is not installed; did you mean 'catt'"):
        check_case(case(tmp_path), "cat")


def test_a_rewrite_that_nobody_runs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="needs a // run: line"):
        check_execution(case(tmp_path), plugin("1.0f", "1"))
    with pytest.raises(CaseError, match="needs a // run: line"):
        check_case(case(tmp_path), plugin("1.0f", "1"), update=True)
    assert check_execution(case(tmp_path), plugin("nowhere", "")) == ()


def test_equal_results_pass_and_a_different_element_is_named(tmp_path: Path, host_compiler: str) -> None:
    made = case(tmp_path, RUN + KERNEL)
    assert check_execution(made, plugin("1.0f", "(0.5f + 0.5f)")) == ()
    with pytest.raises(AssertionError, match=r"original and patched program differ \(seed 1\): add: x\[99\] differs"):
        check_execution(made, plugin("i < n", "i < n - 1"))
    with pytest.raises(AssertionError, match=r"x\[100\] differs, outside of its 100 elements"):
        check_execution(made, plugin("i < n", "i <= n"))


def test_a_version_that_is_never_picked_is_an_error(tmp_path: Path, host_compiler: str) -> None:
    made = case(tmp_path, RUN + KERNEL)
    picks = check_execution(made, plugin("1.0f", "1", guard="return gpuopt_l.grid.x == 2 && n == 100;"))
    assert picks == (Pick("add", "swapped"),)
    with pytest.raises(CaseError, match="no run of add gets its version"):
        check_execution(made, plugin("1.0f", "1", guard="return n == 99;"))
    with pytest.raises(AssertionError, match=r"add: x\[0\] differs"):
        check_execution(made, plugin("1.0f", "2.0f", guard="return true;"))


def test_every_changed_kernel_has_to_be_launched(tmp_path: Path) -> None:
    two = KERNEL.replace("add", "more") + KERNEL.replace("all", "every")
    with pytest.raises(CaseError, match=r"a.cu:1: run: write kernel=NAME .* in this file: more, add"):
        check_execution(case(tmp_path, RUN + two), plugin("1.0f", "1"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("grid=1 block=1 n=1", "no value for x; parameters: x, n"),
        ("grid=1 block=1 n=1 x=n y=1", "add has no parameter y"),
        ("kernel=other grid=1 block=1", "write kernel=NAME"),
    ],
)
def test_a_run_has_to_fit_its_kernel(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(CaseError, match=message):
        check_execution(case(tmp_path, f"// run: {line}\n{KERNEL}"), plugin("1.0f", "1"))


def test_programs_are_compared_by_what_they_print_and_return(tmp_path: Path, host_compiler: str) -> None:
    program = KERNEL + (
        '#include <cstdio>\n#include <cstdlib>\n#include "near.h"\nint main(int argc, char **argv)\n{\n'
        '    float *x; cudaMallocManaged(&x, 400); x[7] = atoi(argv[1]) + atoi(getenv("GPUOPT_SEED"));\n'
        '    all(x, 100); cudaDeviceSynchronize(); printf("%g\\n", x[7] * NEAR); return x[7] > 40;\n}\n'
    )
    (tmp_path / "near.h").write_text("#define NEAR 2\n")
    path = case(tmp_path, program).source
    assert assert_same_output(path, plugin("1.0f", "1"), arguments=("3",)) == ()
    with pytest.raises(AssertionError, match=r"\(seed 5\): stdout: '18' and '20'"):
        assert_same_output(path, plugin("1.0f", "2"), arguments=("3",), seed=5)
    with pytest.raises(AssertionError, match=r"exit status 0 and 1"):
        assert_same_output(path, plugin("1.0f", "99"), arguments=("3",))
    with pytest.raises(AssertionError, match=r"the patched program does not compile"):
        assert_same_output(path, plugin("1.0f", "__builtin_bitreverse32(1u)"), arguments=("3",))


def test_an_arm_that_cannot_run_hides_none_behind_it(tmp_path: Path) -> None:
    """The kit runs arms until no launch has one; what the program says of that is not its output."""
    program = tmp_path / "program"
    program.write_text(
        "#!/bin/sh\necho told >&2\ncase $GPUOPT_DISPATCH in\n"
        'arm:1) echo "gpuopt: k<<<(1,1,1),(32,1,1),0>>>: one n=1" >&2;;\n'
        'arm:3) echo "gpuopt: k<<<(1,1,1),(32,1,1),0>>>: three n=1" >&2;;\n'
        'arm:*) echo "gpuopt: k<<<(1,1,1),(32,1,1),0>>>: original n=1" >&2;;\nesac\n'
        'why="no launch has that arm"; [ $GPUOPT_DISPATCH = arm:2 ] && why="no launch could run as that arm"\n'
        "case $GPUOPT_DISPATCH in arm:[13]) exit 0;; esac\n"
        'echo "gpuopt: warning: GPUOPT_DISPATCH=$GPUOPT_DISPATCH: $why; and so on" >&2\n'
    )
    program.chmod(0o755)
    examined = SimpleNamespace(patched={"a.cu": b"bool k__gpuopt_one_offers("}, report=SimpleNamespace(gpu="h200"))
    case = SimpleNamespace(source=tmp_path / "a.cu")
    original = execute.Execution(b"", b"told\n", 0)
    picks = execute._arms(case, examined, program, (), original, 1)
    assert [pick.version for pick in picks] == ["one", "original", "three"]
