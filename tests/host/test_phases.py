"""From proposals to patched bytes: broken plugins, conflicts, phases, templates, vetoes, switches."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver import phases
from gpuopt_driver.errors import PluginError, PolicyError
from gpuopt_driver.frontend.declarations import KernelSource
from gpuopt_driver.frontend.kernels import KernelReader
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.hooks import PluginInfo, Proposal, hookimpl
from gpuopt_driver.plugins import no_plugins, register
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.policy.schema import DriverPolicy, Origin, Phase, PluginPolicy, Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import KERNEL, examined, finding, patched, plugin, said, swap

GOOD = swap("good", "1.0f", "(1.0f)")
TWO = KERNEL + KERNEL.replace("add", "sub").replace("all", "none").replace("+=", "-=")


def raising(kernel: Any, _context: Any, _facts: Any) -> Proposal:
    raise ValueError(f"no idea\nwhat {kernel.name} is")


def hanging(_kernel: Any, _context: Any, _facts: Any) -> Proposal:
    threading.Event().wait(60)
    return Proposal()


def of_type(_kernel: Any, _context: Any, _facts: Any) -> Any:
    return ["no proposal"]


def edits_of_type(kernel: Any, _context: Any, _facts: Any) -> Any:
    return Proposal((finding("bad", kernel, Decision.APPLIED),), ("not an edit",))  # type: ignore[arg-type]


def foreign_finding(kernel: Any, _context: Any, _facts: Any) -> Any:
    return Proposal((finding("good", kernel, Decision.APPLIED),))


def outside(kernel: Any, _context: Any, _facts: Any) -> Any:
    edit = Edit(kernel.span.file, kernel.span.end + 1, kernel.span.end + 2, b"")
    return Proposal((), (), (Variant(kernel.usr, "bad", (edit,), "return true;"),))


def unnamed(kernel: Any, _context: Any, _facts: Any) -> Any:
    return Proposal((), (), (Variant(kernel.usr, "not a name", (), "return true;"),))


@pytest.mark.parametrize(
    ("propose", "message"),
    [
        (raising, "plugin bad raised ValueError: no idea what add is ("),
        (hanging, "plugin bad ran longer than "),
        (of_type, "plugin bad returned list instead of a Proposal for add; it is left out"),
        (edits_of_type, "plugin bad proposed something else than edits for add (rule: "),
        (foreign_finding, "plugin bad returned a finding without its name or without a code for add; it is left out"),
        (outside, "plugin bad proposed a version with an edit outside of add for add (rule: "),
        (unnamed, "plugin bad proposed a version of another kernel, or one without a proper name for add"),
    ],
)
def test_a_broken_plugin_costs_one_warning_and_others_go_on(tmp_path: Path, propose: Any, message: str) -> None:
    policy = Policy(driver=DriverPolicy(plugin_seconds=0.3))
    result = examined(tmp_path, [plugin("bad", propose), GOOD], policy=policy)
    assert [(item.plugin, item.severity.value) for item in result.report.problems] == [("bad", "warning")]
    assert result.report.problems[0].message.startswith(message)
    assert "\n" not in result.report.problems[0].message
    assert said(result) == [("bad", "declined", "GPUOPT008"), ("good", "applied", "GOOD001")]
    assert patched(result) == KERNEL.replace("1.0f", "(1.0f)")


def test_a_plugin_that_fails_in_one_kernel_is_left_out_of_all(tmp_path: Path) -> None:
    def propose(kernel: Any, context: Any, facts: Any) -> Proposal:
        if kernel.name == "sub":
            raise ValueError("only here")
        edit = Edit.insert_before(kernel.body, "/* bad */")
        return Proposal((finding("bad", kernel, Decision.APPLIED),), (edit,))

    result = examined(tmp_path, [plugin("bad", propose)], TWO)
    assert [item.message.split(" (")[0] for item in result.report.problems] == [
        "plugin bad raised ValueError: only here"
    ]
    assert (said(result), result.patched) == ([("bad", "declined", "GPUOPT008")] * 2, {})


def test_facts_of_analyze_reach_propose_and_its_failure_is_its_own(tmp_path: Path) -> None:
    @hookimpl
    def gpuopt_analyze(kernel: Any) -> str:
        if kernel.name == "sub":
            raise KeyError("facts")
        return f"facts of {kernel.name}"

    def propose(kernel: Any, _context: Any, facts: Any) -> Proposal:
        return Proposal((finding("one", kernel, Decision.DECLINED, facts),))

    one = plugin("one", propose, gpuopt_analyze=gpuopt_analyze)
    result = examined(tmp_path, [one])
    assert [item.message for item in result.report.findings] == ["facts of add"]
    result = examined(tmp_path, [one], TWO)
    assert "raised KeyError: 'facts'" in result.report.problems[0].message
    assert "in gpuopt_analyze of sub" in result.report.problems[0].message


def test_a_plugin_that_says_nothing_is_still_reported(tmp_path: Path) -> None:
    result = examined(tmp_path, [plugin("quiet", lambda *_: None)])
    assert said(result) == [("quiet", "not-applicable", "GPUOPT001")]
    assert [(item.plugin, item.step) for item in result.report.timings if item.plugin] == [
        ("quiet", "others: analyze"),
        ("quiet", "others: propose"),
    ]


def test_of_two_that_want_the_same_bytes_the_first_gets_them_and_both_are_named(tmp_path: Path) -> None:
    first, second = swap("zebra", "1.0f", "1"), swap("ant", "1.0f;", "2;")
    policy = Policy(phases=(Phase("p", ("zebra", "ant")),))
    result = examined(tmp_path, [second, first], policy=policy)
    assert said(result) == [("zebra", "applied", "ZEBRA001"), ("ant", "declined", "GPUOPT002")]
    assert "overlap those of zebra; put the two into different [[phase]] tables" in result.report.findings[1].message
    assert patched(result) == KERNEL.replace("1.0f", "1")
    swapped = examined(tmp_path, [second, first], policy=Policy(phases=(Phase("p", ("ant", "zebra")),)))
    assert said(swapped) == [("ant", "applied", "ANT001"), ("zebra", "declined", "GPUOPT002")]


def test_edits_that_commute_are_made_together(tmp_path: Path) -> None:
    result = examined(tmp_path, [swap("one", "1.0f", "1"), swap("two", "i < n", "n > i")])
    assert patched(result) == KERNEL.replace("1.0f", "1").replace("i < n", "n > i")


def test_a_later_phase_sees_what_the_earlier_one_made(tmp_path: Path) -> None:
    first, second = swap("zebra", "1.0f", "two"), swap("ant", "two", "(2.0f)")
    define = "#define two 2.0f\n" + KERNEL
    apart = Policy(phases=(Phase("early", ("zebra",)), Phase("late", ("ant",))))
    result = examined(tmp_path, [first, second], define, apart)
    assert said(result) == [("zebra", "applied", "ZEBRA001"), ("ant", "applied", "ANT001")]
    assert patched(result) == "#define two 2.0f\n" + KERNEL.replace("1.0f", "(2.0f)")
    assert result.original[next(iter(result.original))].decode() == define
    together = examined(tmp_path, [first, second], define)
    assert said(together) == [("ant", "declined", "ANT001"), ("zebra", "applied", "ZEBRA001")]


@pytest.mark.parametrize(("last", "read"), [("", []), ("late", ["add", "add__gpuopt_twin"])])
def test_versions_are_read_only_where_a_later_phase_looks_at_them(
    tmp_path: Path, last: str, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interpreting versions takes many times as long as interpreting the kernels (cuda-samples' reduction)."""
    seen: list[str] = []
    plain = KernelReader.read

    def watched(reader: KernelReader, source: KernelSource) -> Kernel:
        kernel = plain(reader, source)
        seen.append(kernel.name)
        return kernel

    def twin(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        at = KERNEL.index("1.0f")
        edit = Edit(kernel.span.file, at, at + 4, b"2.0f")
        variants = (Variant(kernel.usr, "twin", (edit,), "return true;"),) if kernel.name == "add" else ()
        return Proposal((finding("twin", kernel, Decision.APPLIED),), (), variants)

    monkeypatch.setattr(KernelReader, "read", watched)
    policy = Policy(phases=(Phase("early", ("twin",)),)) if last else None
    modules = [plugin("twin", twin), *([plugin(last, lambda *_: Proposal())] if last else [])]
    result = examined(tmp_path, modules, policy=policy)
    assert ("twin", "applied", "TWIN001") in said(result)
    assert "add__gpuopt_twin" in patched(result)
    assert seen == ["add", *read]


def test_a_plugin_that_has_only_versions_may_look_at_its_kernel(tmp_path: Path) -> None:
    @hookimpl
    def gpuopt_check(kernel: Any, context: Any, proposal: Any) -> str | None:
        return f"{kernel.name} has {len(proposal.variants)}"

    def twin(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        at = KERNEL.index("1.0f")
        variant = Variant(kernel.usr, "twin", (Edit(kernel.span.file, at, at + 4, b"2.0f"),), "return true;")
        return Proposal((finding("twin", kernel, Decision.APPLIED),), (), (variant,))

    result = examined(tmp_path, [plugin("twin", twin, gpuopt_check=gpuopt_check)])
    assert said(result) == [("twin", "declined", "GPUOPT003")]
    assert "add has 1" in result.report.findings[0].message
    assert not result.patched


def test_text_that_does_not_parse_is_taken_back_and_others_stay(tmp_path: Path) -> None:
    policy = Policy(phases=(Phase("p", ("bad",)), Phase("q", ("good",))))
    result = examined(tmp_path, [swap("bad", "x[i] +=", "x[i] + +=+"), GOOD], policy=policy)
    assert said(result) == [("bad", "declined", "GPUOPT003"), ("good", "applied", "GOOD001")]
    assert result.report.findings[0].message.startswith("the patched source does not parse: ")
    assert patched(result) == KERNEL.replace("1.0f", "(1.0f)")
    alone = examined(tmp_path, [swap("bad", "x[i] +=", "undeclared +=")])
    assert (said(alone), alone.patched) == ([("bad", "declined", "GPUOPT003")], {})


def test_of_two_in_one_phase_only_the_one_that_breaks_the_source_is_taken_back(tmp_path: Path) -> None:
    result = examined(tmp_path, [swap("bad", "x[i] +=", "undeclared +="), GOOD])
    assert said(result) == [("bad", "declined", "GPUOPT003"), ("good", "applied", "GOOD001")]
    assert patched(result) == KERNEL.replace("1.0f", "(1.0f)")


def test_only_the_kernel_whose_text_breaks_stays_as_it_was(tmp_path: Path) -> None:
    third = (
        KERNEL.replace("add", "third")
        .replace("all", "last")
        .replace("int n", "int n, int m")
        .replace("x, n", "x, n, n")
    )
    result = examined(tmp_path, [swap("bad", "1.0f", "m"), swap("good", "i < n", "n > i")], TWO + third)
    assert said(result) == [
        *[("bad", "declined", "GPUOPT003")] * 2,
        ("bad", "applied", "BAD001"),
        *[("good", "applied", "GOOD001")] * 3,
    ]
    assert patched(result) == (TWO + third.replace("1.0f", "m")).replace("i < n", "n > i")


def test_where_nearly_all_changes_break_the_source_the_search_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parses = []
    parse = phases.parse_unit
    monkeypatch.setattr(phases, "parse_unit", lambda *words: parses.append(1) or parse(*words))
    many = "".join(KERNEL.replace("add", f"add{k}").replace("all", f"all{k}") for k in range(40))
    result = examined(tmp_path, [swap("bad", "x[i] +=", "undeclared +=")], many)
    assert said(result) == [("bad", "declined", "GPUOPT003")] * 40
    assert len(parses) < 20


def test_one_kernel_that_spoils_the_versions_of_all_plugins_costs_no_other_kernel_its(tmp_path: Path) -> None:
    def twin(name: str) -> Any:
        def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
            at = context.unit.files[kernel.span.file].data.index(b"1.0f", kernel.span.start)
            text = b"undeclared" if kernel.name == "add3" else b"2.0f"
            variant = Variant(kernel.usr, name, (Edit(kernel.span.file, at, at + 4, text),), "return true;")
            return Proposal((finding(name, kernel, Decision.APPLIED),), (), (variant,))

        return plugin(name, propose)

    names = [f"twin{number}" for number in range(5)]
    many = "".join(KERNEL.replace("add", f"add{k}").replace("all", f"all{k}") for k in range(8))
    result = examined(tmp_path, [twin(name) for name in names], many)
    lost = {one.kernel for one in result.report.findings if one.decision is Decision.DECLINED}
    assert lost == {"add3"}
    assert len(result.report.findings) == len(names) * 8


def test_who_lost_to_a_plugin_that_is_taken_back_gets_its_turn(tmp_path: Path) -> None:
    policy = Policy(phases=(Phase("p", ("bad", "good")),))
    result = examined(tmp_path, [swap("bad", "1.0f", "undeclared"), GOOD], policy=policy)
    assert said(result) == [("bad", "declined", "GPUOPT003"), ("good", "applied", "GOOD001")]
    assert patched(result) == KERNEL.replace("1.0f", "(1.0f)")


def test_a_kernel_that_is_gone_after_patching_is_a_veto(tmp_path: Path) -> None:
    result = examined(tmp_path, [swap("bad", "__global__ void add", "__global__ void sub")])
    assert (said(result), result.patched) == ([("bad", "declined", "GPUOPT003")], {})


@pytest.mark.parametrize(("verdict", "kept"), [(None, True), ("three loops instead of two", False)])
def test_a_plugin_may_veto_its_own_work(tmp_path: Path, verdict: str | None, kept: bool) -> None:
    seen = []

    @hookimpl
    def gpuopt_check(kernel: Any, context: Any, proposal: Proposal) -> str | None:
        seen.append((kernel.name, len(proposal.edits), kernel.body.end))
        return verdict

    result = examined(tmp_path, [swap("one", "1.0f", "(1.0f)", gpuopt_check=gpuopt_check)])
    assert seen == [("add", 1, KERNEL.index("void all") + 1)]
    if kept:
        assert said(result) == [("one", "applied", "ONE001")]
    else:
        assert (said(result), result.patched) == ([("one", "declined", "GPUOPT003")], {})
        assert result.report.findings[0].message == "check of the patched kernel: three loops instead of two"


def test_a_check_that_raises_is_a_veto(tmp_path: Path) -> None:
    @hookimpl
    def gpuopt_check(kernel: Any) -> str | None:
        raise ValueError("no")

    result = examined(tmp_path, [swap("one", "1.0f", "1", gpuopt_check=gpuopt_check)])
    assert (said(result), result.patched) == ([("one", "declined", "GPUOPT003")], {})
    assert "raised ValueError: no" in result.report.findings[0].message


TEMPLATE = """template <class T> __global__ void add(T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
void all(float *x, int *y, int n)
{
    add<<<(n + 63) / 64, 64>>>(x, n);
    add<<<(n + 63) / 64, 64>>>(y, n);
}
"""


def test_instantiations_that_agree_are_one_change(tmp_path: Path) -> None:
    result = examined(tmp_path, [swap("one", "+= 1;", "+= T(1);")], TEMPLATE)
    assert said(result) == [("one", "applied", "ONE001")] * 2
    assert patched(result) == TEMPLATE.replace("+= 1;", "+= T(1);")


def test_instantiations_that_disagree_are_declined(tmp_path: Path) -> None:
    def propose(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        edit = Edit.insert_before(kernel.body, f"/* {kernel.facts_of.arguments[0]} */")
        return Proposal((finding("one", kernel, Decision.APPLIED),), (edit,))

    def versions(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        edit = Edit.insert_before(kernel.body, f"/* {kernel.facts_of.arguments[0]} */")
        return Proposal(
            (finding("one", kernel, Decision.APPLIED),), (), (Variant(kernel.usr, "v", (edit,), "return true;"),)
        )

    for wants in (propose, versions):
        result = examined(tmp_path, [plugin("one", wants)], TEMPLATE)
        assert (said(result), result.patched) == ([("one", "declined", "GPUOPT004")] * 2, {})


def test_policy_and_markers_switch_a_plugin_off_and_on(tmp_path: Path) -> None:
    off = Policy(plugins={"good": PluginPolicy(enabled=False)})
    result = examined(tmp_path, [GOOD], policy=off)
    assert (said(result), result.patched) == ([("good", "not-applicable", "GPUOPT005")], {})
    assert said(examined(tmp_path, [GOOD], "#pragma gpuopt good: on\n" + KERNEL, off)) == [
        ("good", "applied", "GOOD001")
    ]
    for marker in ("off", "good: off"):
        result = examined(tmp_path, [GOOD], f"#pragma gpuopt {marker}\n{KERNEL}")
        assert (said(result), result.patched) == ([("good", "not-applicable", "GPUOPT005")], {})
    macro = '#ifndef GPUOPT\n#define GPUOPT(...)\n#endif\nGPUOPT("good: off")\n'
    result = examined(tmp_path, [GOOD], macro + TWO)
    assert said(result) == [("good", "not-applicable", "GPUOPT005"), ("good", "applied", "GOOD001")]
    assert said(examined(tmp_path, [GOOD], "#pragma gpuopt other: off\n" + KERNEL)) == [("good", "applied", "GOOD001")]


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ("goood: off", "no plugin 'goood'; did you mean 'good'?"),
        ("xyz: on", "no plugin 'xyz'; these are: good"),
        ("good: of", "neither on nor off; did you mean 'off'?"),
        ("good: strict", ""),  # a word of the plugin's own
        ("somebody: strict", ""),
        ("good: off", ""),
    ],
)
def test_a_misspelled_marker_is_told(tmp_path: Path, marker: str, told: str) -> None:
    result = examined(tmp_path, [GOOD], f"#pragma gpuopt {marker}\n{KERNEL}")
    found = [one.message for one in result.report.problems if "pragma" in one.message]
    assert found == ([f"#pragma gpuopt {marker}: {told}"] if told else [])


def test_a_plugin_that_changes_results_runs_only_where_it_is_asked_for(tmp_path: Path) -> None:
    @hookimpl
    def gpuopt_describe() -> PluginInfo:
        return PluginInfo("loose", "loose", {"LOOSE001": "said"}, changes_results=True)

    loose = swap("loose", "1.0f", "1")
    loose.__dict__["gpuopt_describe"] = gpuopt_describe
    assert said(examined(tmp_path, [loose])) == [("loose", "not-applicable", "GPUOPT005")]
    asked = Policy(plugins={"loose": PluginPolicy(origins={"enabled": Origin("toolchain.toml", 2)})})
    assert said(examined(tmp_path, [loose], policy=asked)) == [("loose", "applied", "LOOSE001")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[plugins.gud]\nenabled = true\n", "toolchain.toml:1: unknown plugin 'gud'; did you mean 'good'?"),
        ("[plugins.good]\ndepth = 3\n", "toolchain.toml:2: unknown key 'depth' in [plugins.good]"),
        ('[[phase]]\nname = "p"\nplugins = ["bad"]\n', "unknown plugin 'bad'"),
        ('[[kernel]]\nname = "a"\nplugins.godo = { enabled = false }\n', "unknown plugin 'godo'; did you mean 'good'?"),
    ],
)
def test_unknown_plugins_and_options_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "toolchain.toml").write_text(text)
    policy = load_policy([str(tmp_path / "a.cu")])
    with pytest.raises(PolicyError) as caught:
        examined(tmp_path, [GOOD], policy=policy)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_message_code_has_to_look_like_one() -> None:
    bad = swap("bad", "", "")

    @hookimpl
    def gpuopt_describe() -> PluginInfo:
        return PluginInfo("bad", "bad", {"Bad-1": "said"})

    bad.__dict__["gpuopt_describe"] = gpuopt_describe
    with pytest.raises(PluginError, match="its message code 'Bad-1' is not capitals followed by three digits"):
        register(no_plugins(), "bad", bad)


def test_the_same_source_gives_the_same_bytes_and_findings(tmp_path: Path) -> None:
    runs = [examined(tmp_path, [GOOD, swap("other", "i < n", "n > i")], TWO) for _ in range(2)]
    assert runs[0].patched == runs[1].patched
    assert replace(runs[0].report, timings=()) == replace(runs[1].report, timings=())


def test_only_what_is_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = KernelReader.read

    def noted(reader: KernelReader, source: KernelSource) -> Kernel:
        kernel = real(reader, source)
        read.append(kernel.name)
        return kernel

    monkeypatch.setattr(KernelReader, "read", noted)
    other = "__global__ void other(float *x) { x[0] = 2.0f; }\n"
    result = examined(tmp_path, [swap("one", "1.0f", "3.0f")], KERNEL + other)
    assert patched(result) == (KERNEL + other).replace("1.0f", "3.0f")
    assert read == ["add", "other", "add"]


@pytest.mark.parametrize(("measured", "word"), [((True,), "to be measured"), ((True, False), "applied")])
def test_versions_for_measurements_alone_are_marked(tmp_path: Path, measured: tuple[bool, ...], word: str) -> None:
    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        at = context.unit.files[kernel.span.file].data.find(b"1.0f")
        edit = Edit(kernel.span.file, at, at + 4, b"2.0f")
        made = (
            Variant(kernel.usr, f"v{number}", (edit,), "return false;", only_measured=only)
            for number, only in enumerate(measured)
        )
        return Proposal((finding("some", kernel, Decision.APPLIED),), (), tuple(made))

    report = examined(tmp_path, [plugin("some", propose)]).report
    assert [(item.decision, item.word) for item in report.findings] == [(Decision.APPLIED, word)]


def test_all_plugins_get_one_answer_about_launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = phases.why_not

    def counting(unit: Any, kernel: Kernel) -> str | None:
        asked.append(kernel.name)
        return real(unit, kernel)

    monkeypatch.setattr(phases, "why_not", counting)
    told: list[tuple[str, str]] = []

    def listening(kernel: Any, context: Any, _facts: Any) -> Proposal:
        told.append((kernel.name, context.undispatchable))
        return Proposal()

    examined(
        tmp_path, [plugin(name, listening) for name in ("one", "other", "third")], TWO.replace("none<<<", "sub<<<")
    )
    assert sorted(asked) == ["add", "sub"]
    assert len(told) == 6
    assert len(set(told)) == 2
