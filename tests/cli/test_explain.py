"""`gpuopt explain` and `gpuopt diff` on real sources, through the whole pipeline with a small plugin."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import jsonschema
import pytest

from gpuopt_driver import plugins
from gpuopt_driver.api import Decision, Edit, Finding, PluginInfo, Proposal, hookimpl
from gpuopt_driver.cli import main
from gpuopt_driver.commands import unit
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.report.document import schema_text

SOURCE = """\
#ifndef WIDTH
#define WIDTH 4096
#endif
namespace la {
__global__ void rows(int n, const float *a, float *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int j = 0; j < WIDTH; ++j)
            sum += a[i * WIDTH + j];
        sums[i] = sum;
    }
}
}
int main() {
    la::rows<<<320, 256>>>(81920, nullptr, nullptr);
}
"""


@dataclass(frozen=True)
class Options:
    factor: int = 2


@hookimpl
def gpuopt_describe():
    codes = {"MARK001": "A loop was marked.\nExample: none."}
    return PluginInfo("marker", "marks loops", codes, Options, figures={"gpu": "what a test decided for"})


@hookimpl
def gpuopt_propose(kernel, context, facts):
    span = kernel.stmt(kernel.loops[0].stmt).span
    figures = {"footprint_bytes": 1024 * context.options.factor, "tlp": [8, 4], "gpu": context.arch.name}
    finding = Finding(
        "marker", kernel.qualified, Decision.APPLIED, "MARK001", "marked", span.file, span.line, span.column, figures
    )
    edit = Edit.insert_before(span, "/* marked */ ")
    return Proposal((finding,), (edit,), facts={"loops": [{"line": span.line, "marks": 1, "list": [{"x": 1}]}]})


def install(monkeypatch, propose):
    """Make the marker, with this proposal, the only plugin that is installed."""
    module = ModuleType("marker")
    module.gpuopt_describe = gpuopt_describe
    module.gpuopt_propose = propose
    point = SimpleNamespace(name="marker", source="a test", module="marker", load=lambda: module)
    monkeypatch.setattr(plugins, "find_points", lambda: [point])


@pytest.fixture(autouse=True)
def _project(tmp_path, monkeypatch):
    """A project of one source, with the marker as the only plugin and no nvcc to be found."""
    install(monkeypatch, gpuopt_propose)
    monkeypatch.setattr("gpuopt_driver.commands.unit.find_nvcc", lambda env, configured="": None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "rows.cu").write_text(SOURCE)


def test_a_table_of_the_policy_that_matches_no_kernel_here(tmp_path, capsys):
    (tmp_path / "toolchain.toml").write_text('[[kernel]]\nname = "row"\n[[kernel]]\nname = "la::rows"\n')
    lines = output(capsys, "explain", "rows.cu").splitlines()
    said = 'toolchain.toml:1: warning: [[kernel]] with name = "row", source = "*" matches no kernel of this source'
    assert [line for line in lines if "[[kernel]]" in line] == [f"{said}; did you mean 'la::rows'?"]
    rules = json.loads(output(capsys, "explain", "rows.cu", "--json"))["units"][0]["rules"]
    assert [(rule["name"], rule["line"], rule["kernels"]) for rule in rules] == [("row", 1, 0), ("la::rows", 3, 1)]


def output(capsys, *argv, status=0):
    assert main(argv) == status
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_everything_about_a_kernel(capsys):
    text = output(capsys, "explain", "rows.cu", "--gpu", "titan-v")
    heading, *lines = text.splitlines()
    assert heading == "rows.cu: decided for titan-v, as the emulator builds it"
    assert lines[0] == "rows.cu:5: kernel la::rows(int n, const float *a, float *sums)"
    assert lines[1] == "  launch at line 16: grid 320, block 256"
    assert lines[2] == "  loop at line 9 over j: 4096 iterations"
    assert lines[3].startswith("    read global a[i * WIDTH + j] (line 10, 4 B): ")
    for term in ("j: 4", "threadIdx.x: 16384", "blockIdx.x: 16384*blockDim.x"):
        assert term in lines[3]
    assert lines[4] == "    rows.cu:9:9: note: marked [MARK001]"
    assert lines[5] == "      marker: applied, footprint 2048 B, TLP [8, 4] (warps per block, blocks), gpu titan-v"
    assert lines[6] == "    marker: marks: 1"
    legend = lines[lines.index("in the lines above:") + 1 : -2]
    assert [line.split(":")[0].strip() for line in legend] == ["accesses", "footprint", "gpu", "TLP"]
    assert legend[2] == "  gpu: what a test decided for"
    assert lines[-1] == "1 kernel for titan-v: 1 applied, 0 declined, 0 not applicable"


def test_nvcc_arguments_count(capsys):
    assert "over j: 128 iterations" in output(capsys, "explain", "rows.cu", "--", "-DWIDTH=128", "-arch=sm_70")
    assert "for titan-v: 1 applied" in output(capsys, "explain", "rows.cu", "--", "-DWIDTH=128", "-arch=sm_70")


def test_json_follows_the_published_schema(capsys, tmp_path):
    document = json.loads(output(capsys, "explain", "rows.cu", "--json", "--gpu=h200"))
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(document)
    (unit,) = document["units"]
    assert unit["source"] == str(tmp_path / "rows.cu")
    assert unit["gpu"] == "h200"
    (decision,) = unit["decisions"]
    assert (decision["code"], decision["footprint_bytes"], decision["tlp"]) == ("MARK001", 2048, [8, 4])
    (kernel,) = unit["kernels"]
    (loop,) = kernel["loops"]
    access = next(item for item in kernel["accesses"] if item["array"] == "a")
    assert access["coefficients_bytes"][loop["symbol"]] == 4
    assert access["coefficients_bytes"]["threadIdx.x"] == 16384
    assert kernel["launches"][0]["block"] == [256, 1, 1]


def test_places_that_depend_on_data(capsys, tmp_path):
    (tmp_path / "t.cu").write_text(
        "__global__ void k(const int *c, const float *t, float *y, int n) {\n"
        "    int i = threadIdx.x;\n"
        "    y[i] = t[c[i]]\n"
        "        + t[c[n]]\n"
        "        + t[n];\n"
        "}\n"
    )
    lines = output(capsys, "explain", "t.cu").splitlines()
    told = {line.split(" (line ")[0].split()[-1]: line.split(" B): ")[1] for line in lines if "read global" in line}
    assert told == {
        "t[c[i]]": "depends on data",
        "c[i]": "threadIdx.x: 4",
        "t[c[n]]": "same address for all threads of a block",
        "c[n]": "same address for all threads",
        "t[n]": "same address for all threads",
    }


def test_the_policy_of_the_source_counts(capsys, tmp_path):
    (tmp_path / "toolchain.toml").write_text("[plugins.marker]\nfactor = 3\n")
    assert "footprint 3072 B" in output(capsys, "explain", "rows.cu")
    (tmp_path / "other.toml").write_text("[plugins.marker]\nenabled = false\n")
    text = output(capsys, "explain", "rows.cu", "--policy", "other.toml")
    assert "[GPUOPT005]" in text
    assert "marked" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[plugins.maker]\nfactor = 3\n", "toolchain.toml:1: unknown plugin 'maker'; did you mean 'marker'?"),
        (
            "[plugins.marker]\nfaktor = 3\n",
            "toolchain.toml:2: unknown key 'faktor' in [plugins.marker]; did you mean 'factor'?",
        ),
        (
            "[plugins.marker]\nfactor = '3'\n",
            'toolchain.toml:2: factor in [plugins.marker] must be an integer, not "3"',
        ),
        ("[[phase]]\nplugins = ['x']\n", "toolchain.toml:2: unknown plugin 'x'; installed: marker"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "diff"])
def test_a_wrong_policy_is_one_line(capsys, tmp_path, command, text, message):
    (tmp_path / "toolchain.toml").write_text(text)
    assert main([command, "rows.cu"]) == 1
    assert capsys.readouterr() == ("", f"gpuopt: error: {message}\n")


def test_a_plugin_that_the_environment_keeps_out_may_stand_in_the_policy(capsys, tmp_path, monkeypatch):
    (tmp_path / "toolchain.toml").write_text("[plugins.marker]\nfactor = 3\n")
    monkeypatch.setenv("GPUOPT_DISABLE_PLUGINS", "other, marker")
    assert "MARK001" not in output(capsys, "explain", "rows.cu")


def test_unknown_gpu(capsys):
    assert main(["explain", "rows.cu", "--gpu", "titanv"]) == 1
    assert capsys.readouterr() == ("", "gpuopt: error: unknown GPU 'titanv'; did you mean 'titan-v'?\n")


def test_codes_of_plugins(capsys):
    assert output(capsys, "explain", "MARK001") == "MARK001: A loop was marked.\nExample: none.\n"


def test_diff(capsys, tmp_path):
    text = output(capsys, "diff", "rows.cu")
    assert text.splitlines()[:2] == ["--- a/rows.cu", "+++ b/rows.cu"]
    assert "\n-        for (int j = 0; j < WIDTH; ++j)\n" in text
    assert "\n+        /* marked */ for (int j = 0; j < WIDTH; ++j)\n" in text
    found = json.loads(output(capsys, "diff", "rows.cu", "--json"))
    assert found["diffs"] == {str(tmp_path / "rows.cu"): text}


def test_a_source_that_does_not_parse_says_so(capsys, tmp_path):
    (tmp_path / "bad.cu").write_text("int f() { return nothing + none; }\n" * 5)
    lines = output(capsys, "explain", "bad.cu", status=1).splitlines()
    assert lines[0] == "bad.cu:1: error: use of undeclared identifier 'nothing'"
    assert [line.split()[1] for line in lines[:4]] == ["error:", "error:", "error:", "note:"]
    assert lines[3].startswith("bad.cu: note: ")
    assert "places (3 of them above) could not be read: " in lines[3]
    assert main(["diff", "bad.cu"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == lines[:4]


@pytest.mark.parametrize("more", [(), ("--full",)])
def test_errors_come_before_what_is_said_of_the_rest(capfd, tmp_path, monkeypatch, more):
    (tmp_path / "half.cu").write_text(SOURCE + "int f() { return nothing; }\n")
    assert main(["explain", "half.cu"]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert "error: use of undeclared identifier 'nothing'" in lines[0]
    assert lines[1] == (
        "half.cu: note: 1 place could not be read: what is said of kernels there, or left out, is no verdict"
    )
    assert ": note: the emulator builds this, " in lines[2]
    assert lines[3].startswith("half.cu: decided for ")
    assert main(["explain", "half.cu", "--json"]) == 1
    (first, *_) = json.loads(capfd.readouterr().out)["units"][0]["problems"]
    assert (first["severity"], first["file"]) == ("error", str(tmp_path / "half.cu"))
    before: list[str] = []
    monkeypatch.setattr(
        "gpuopt_driver.commands.diff.show", lambda _: before.extend(capfd.readouterr().err.splitlines())
    )
    assert main(["diff", "half.cu", *more]) == 1
    assert before == lines[:2]


def test_host_code_that_the_bundled_headers_lack_is_no_mistake(capsys, tmp_path, host_compiler):
    (tmp_path / "host.cu").write_text(
        "#include <cstdio>\n__global__ void k(int *p) { *p = 1; }\n"
        'void f(int *p) { k<<<1, 32>>>(p); std::fprintf(stderr, "%d", missing); }\n'
    )
    lines = [line for line in output(capsys, "explain", "host.cu", status=1).splitlines() if ": error: " in line]
    assert len(lines) == 1
    assert "missing" in lines[0]


def test_a_source_without_kernels(capsys, tmp_path):
    (tmp_path / "host.cu").write_text("int main() { return 0; }\n")
    assert output(capsys, "diff", "host.cu") == ""
    assert output(capsys, "explain", "host.cu").startswith("host.cu: no kernels\n0 kernels for ")


def test_what_plugins_print_does_not_get_into_the_output(capfd, monkeypatch):
    install(monkeypatch, noisy)
    assert main(["explain", "rows.cu", "--json"]) == 0
    out, err = capfd.readouterr()
    (problem,) = json.loads(out)["units"][0]["problems"]
    assert problem["message"].startswith("plugin marker printed something (noise)")
    assert err == ""


def test_a_crash_in_c_code_leaves_out_who_crashed(capfd, monkeypatch):
    install(monkeypatch, crashing)
    assert main(["explain", "rows.cu"]) == 0
    out, err = capfd.readouterr()
    assert "warning: plugin marker crashed (SIGKILL) when it was asked about kernels; it is left out" in out
    assert err == ""


@hookimpl(specname="gpuopt_propose")
def noisy(kernel, context, facts):
    os.write(1, b"noise\n")  # pytest's own sys.stdout does not write to the descriptor


@hookimpl(specname="gpuopt_propose")
def crashing(kernel, context, facts):
    os.kill(os.getpid(), signal.SIGKILL)  # not SIGSEGV: pytest would print a dump


def test_without_an_architecture_registers_and_limits_are_of_one_gpu(capsys, monkeypatch, real_nvcc):
    asked = []
    monkeypatch.setattr(
        unit, "kernel_resources", lambda _command, _source, _nvcc, archs, _env: asked.append(archs) or ()
    )
    unknown = "limits (registers are not known) are those of h200, sm_90"
    monkeypatch.setenv("GPUOPT_BACKEND", "nvcc")
    first = output(capsys, "explain", "rows.cu").splitlines()[0]
    assert first == f"rows.cu: note: the arguments name no architecture: {unknown}"
    monkeypatch.delenv("GPUOPT_BACKEND")
    monkeypatch.setattr(unit, "find_nvcc", lambda _env, _configured="": RealNvcc(real_nvcc, "a test"))
    assert main(["explain", "rows.cu"]) == 0
    said = "rows.cu: note: the arguments name no architecture: limits and registers are those of h200, sm_90"
    assert capsys.readouterr().out.splitlines()[0] == said
    assert main(["explain", "rows.cu", "--gpu", "a100"]) == 0
    assert main(["explain", "rows.cu", "--gpu", "h200", "--", "-arch=sm_80"]) == 0
    assert "note: the arguments" not in capsys.readouterr().out
    assert asked == [(90,), (80,), (80,)]
    assert main(["explain", "rows.cu", "--gpu", "gtx480"]) == 0
    assert "rows.cu: note: this nvcc does not compile for sm_20: registers are not known" in capsys.readouterr().out
    assert len(asked) == 3


def test_without_an_nvcc_it_is_decided_as_the_emulator_builds(capsys):
    lines = output(capsys, "explain", "rows.cu").splitlines()
    said = "decided for the GPU that it plays, titan-v, sm_70"
    assert lines[0] == f"rows.cu: note: the emulator builds this, and the arguments name no architecture: {said}"
    assert lines[-1].startswith("1 kernel for titan-v: ")
    (made,) = json.loads(output(capsys, "explain", "rows.cu", "--json"))["units"]
    assert (made["backend"], made["gpu"]) == ("emulator", "titan-v")
    (made,) = json.loads(output(capsys, "explain", "rows.cu", "--json", "--", "-arch=sm_90"))["units"]
    assert (made["backend"], made["gpu"]) == ("emulator", "h200")
    (made,) = json.loads(output(capsys, "explain", "rows.cu", "--json", "--gpu", "a100"))["units"]
    assert (made["backend"], made["gpu"]) == ("emulator", "a100")


def test_an_nvcc_does_not_decide_for_the_emulator(capsys, monkeypatch):
    monkeypatch.setattr(unit, "find_nvcc", lambda _env, _configured="": RealNvcc("/no/such/nvcc", "a test"))
    monkeypatch.setattr(unit, "kernel_resources", None)  # nobody asks it
    monkeypatch.setenv("GPUOPT_BACKEND", "emulator")
    (made,) = json.loads(output(capsys, "explain", "rows.cu", "--json"))["units"]
    assert (made["backend"], made["gpu"]) == ("emulator", "titan-v")


def test_an_architecture_without_a_gpu_file_is_named_and_nothing_decided(capsys):
    assert main(["explain", "rows.cu", "--json", "--", "-arch=sm_999"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["units"]
    assert said["gpu"] == "none"
    assert [one["message"] for one in said["problems"]] == [
        "no GPU file stands for sm_999: nothing that rests on a GPU's figures is decided; "
        "--gpuopt-gpu=NAME decides for a GPU, `gpuopt calibrate` measures one"
    ]
    (decision,) = said["decisions"]
    assert (decision["code"], decision["decision"]) == ("GPUOPT013", "not-applicable")
    assert decision["message"] == "no GPU file stands for sm_999"
    assert main(["explain", "rows.cu", "--json", "--", "-arch=sm_61"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["units"]
    assert (said["gpu"], said["decisions"][0]["gpu"]) == ("p100", "p100")
    assert said["problems"][0]["message"].startswith("no GPU file stands for sm_61: decided for p100")
    assert main(["explain", "rows.cu", "--json", "--gpu", "h200", "--", "-arch=sm_999"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["units"]
    assert (said["gpu"], said["problems"]) == ("h200", [])


def test_options_of_the_host_compiler_with_which_links_would_fail(capsys):
    words = ("explain", "rows.cu", "--gpu", "titan-v", "--", "-Xcompiler")
    text = output(capsys, *words, "-fpatchable-function-entry=2")
    assert "not analysed: with -fpatchable-function-entry=2 linkers do not take" in text
    assert "not analysed" not in output(capsys, *words, "-fpatchable-function-entry=0")


def test_an_analysis_that_takes_too_much_memory(capsys, monkeypatch, tmp_path):
    """As a build says it."""

    def grow(*_given):
        held = b"x" * 300_000_000
        time.sleep(60)
        return held

    monkeypatch.setattr("gpuopt_driver.commands.unit._examined", grow)
    (tmp_path / "toolchain.toml").write_text("[driver]\nmemory_mb = 200\n")
    text = output(capsys, "explain", "rows.cu", "--gpu", "titan-v")
    more = "(memory_mb in [driver] of toolchain.toml allows more)"
    assert f"note: not analysed: the analysis needs more than 200 MB of memory {more} [GPUOPT014]" in text
    assert text.splitlines()[-1] == "1 kernel for titan-v: 0 applied, 1 declined, 0 not applicable"


def test_an_architecture_that_nobody_knows_is_said(tmp_path, capsys):
    (tmp_path / "a.cu").write_text(SOURCE)
    assert main(["explain", str(tmp_path / "a.cu"), "--", "-arch=sm90"]) == 2
    assert "-arch=sm90: no architecture that nvcc knows" in capsys.readouterr().err


def test_a_program_is_no_source(tmp_path, capsys):
    (tmp_path / "app").write_bytes(b"\x7fELF\x02\0\0")
    assert main(["explain", str(tmp_path / "app")]) == 2
    assert capsys.readouterr().err.rstrip().endswith("app: not a source file")
