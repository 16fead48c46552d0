"""Launches of kernels that another file defines: which are patched, and how."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.report.model import Finding

DECLARED = "__global__ void k(int n, float *p);\nnamespace a { __global__ void k(float *p); }\n"


def processed(
    place: Path, text: str, gpu: str = "h200", *, has_host_code: bool = True, per_thread_stream: bool = False
) -> tuple[str, tuple[Finding, ...]]:
    """The patched source ("" where it stays), and the findings."""
    source = place / "main.cu"
    source.write_text(text)
    (place / "toolchain.toml").write_text("[plugins.unified_memory]\nother_files = true\n")
    policy = load_policy([], env={"GPUOPT_GPU": gpu}, cwd=str(place))
    job = Job(str(source), ParseOptions(), policy, has_host_code=has_host_code, per_thread_stream=per_thread_stream)
    done = process(job)
    assert not done.report.problems
    return done.patched.get(str(source), b"").decode(), done.report.findings


def patched(place: Path, text: str, gpu: str = "h200", **more: bool) -> tuple[str, list[str]]:
    """The patched source, and the kernels of GPUOPT010."""
    after, findings = processed(place, text, gpu, **more)
    return after, [item.kernel for item in findings if item.code == "GPUOPT010"]


def test_launches_go_to_doors(tmp_path: Path) -> None:
    text = (
        DECLARED
        + "static int b;\nvoid f(float *p, cudaStream_t s)\n{\n    k <<<1, 2, 3, s>>> (4, p); a::k<<<1, b>>>(p);\n}\n"
    )
    after, found = patched(tmp_path, text)
    assert found == ["k", "a::k"]
    assert after.count("\n") == text.count("\n")
    head, rest = after.split("static int b;\n")
    assert head == DECLARED
    opening, body = rest.split("void f(float")
    assert opening.startswith('extern "C++" { namespace gpuopt_out { ')
    assert opening.count(" __attribute__((weak)); ") == 2
    doors = [word.rstrip("();") for word in opening.split() if word.startswith("gpuopt_door_")]
    assert (
        f"    ::gpuopt_out::gpuopt_to(k, {doors[0]}) (1, 2, 3, s) (4, p); " in body
        or f"gpuopt_to(k, {doors[1]}) (" in body
    )
    assert "::gpuopt_out::gpuopt_to(a::k, " in body


def test_chevrons_with_blanks(tmp_path: Path) -> None:
    text = DECLARED + "void f(float *p) { k << < 1, 2 >> > (4, p); }\n"
    after, found = patched(tmp_path, text)
    assert found == ["k"]
    assert re.search(r"::gpuopt_out::gpuopt_to\(k, gpuopt_door_\w+\) \( 1, 2 \) \(4, p\);", after)


def test_the_null_stream_keeps_its_meaning(tmp_path: Path) -> None:
    text = DECLARED + "void f(float *p) { k<<<1, 2>>>(4, p); }\n"
    assert "static_cast<size_t>(1)" in patched(tmp_path, text)[0]
    own = patched(tmp_path, text, per_thread_stream=True)[0]
    assert "static_cast<size_t>(2)" in own
    spaces = [re.findall(r"inline namespace (\w+)", one) for one in (patched(tmp_path, text)[0], own)]
    assert spaces[0] != spaces[1]  # linkers keep one of what is defined there


def test_addresses_and_preferences(tmp_path: Path) -> None:
    text = DECLARED + "void f(void **v) { ::cudaLaunchKernel((void *)a::k, 1, 2, v, 0, 0); }\n"
    after, found = patched(tmp_path, text)
    assert found == ["k"]
    assert "{ ::gpuopt_out::gpuopt_to(a::k, gpuopt_door_" in after
    assert ").gpuopt_run((void *)a::k, 1, 2, v, 0, 0); }" in after
    text = DECLARED + "void f(float *p) { cudaFuncSetCacheConfig(&a::k, cudaFuncCachePreferL1); k<<<1, 2>>>(4, p); }\n"
    after, found = patched(tmp_path, text)
    assert found == ["k"]
    assert "cudaFuncSetCacheConfig(::gpuopt_out::gpuopt_own(a::k, gpuopt_own_" in after


@pytest.mark.parametrize("used", ["", "void h(float *p) { a::k<<<1, 2>>>(p); }\n"])
def test_a_preference_that_cannot_be_told_shuts_the_door_from_the_start(tmp_path: Path, used: str) -> None:
    text = (
        f"#define SET(K) cudaFuncSetCacheConfig(a::K, cudaFuncCachePreferL1)\n{DECLARED}void f() {{ SET(k); }}\n{used}"
    )
    (tmp_path / "other.h").write_text("inline void g() { cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1); }\n")
    after, _ = patched(tmp_path, text.replace("void f()", '#include "other.h"\nvoid f()'))
    assert (
        len(re.findall(r"bool gpuopt_own_\w+_told [^=]*= (gpuopt_own_\w+) \? \(\1\(\), true\) : false; ", after)) == 2
    )
    assert ("::gpuopt_out::gpuopt_to(a::k" in after) == bool(used)


def test_launches_with_a_configuration(tmp_path: Path) -> None:
    text = DECLARED + (
        "void f(cudaLaunchConfig_t *c, float *p, void **v) {\n"
        "cudaLaunchKernelEx(c, a::k, p);\ncudaLaunchKernelExC(c, (void *)a::k, v); }\n"
    )
    after, found = patched(tmp_path, text)
    assert found == ["k", "k"]
    assert re.search(
        r"^::gpuopt_out::gpuopt_to\(a::k, gpuopt_door_\w+\)\.gpuopt_with\(c, a::k, p\);$", after, re.MULTILINE
    )
    assert re.search(
        r"^::gpuopt_out::gpuopt_to\(a::k, gpuopt_door_\w+\)\.gpuopt_run\(c, \(void \*\)a::k, v\);", after, re.MULTILINE
    )


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("#define RUN k<<<1, 2>>>(4, p)\nvoid f(float *p) { RUN; }", ["in a macro"]),
        ("#define RUN(K) K<<<1, 2>>>(4, p)\nvoid f(float *p) { RUN(k); }", ["in a macro"]),
        ("#define RUN cudaLaunchKernelExC(c, (void *)k, 0)\nvoid f(cudaLaunchConfig_t *c) { RUN; }", ["in a macro"]),
        ("void f(void (*q)(float *), float *p) { q<<<1, 2>>>(p); }", []),
        ("template <class T> __global__ void t(T *p);\nvoid f(float *p) { t<<<1, 2>>>(p); }", ["a kernel template"]),
        (
            "template <class T> __global__ void t(T *p);\nextern template __global__ void t<float>(float *);\n"
            "void f(void **v) { cudaLaunchKernel((void *)t<float>, 1, 2, v, 0, 0); }",
            ["a kernel template"],
        ),
        ("void f(void **v) { cudaLaunchCooperativeKernel((void *)a::k, 1, 2, v, 0, 0); }", ["a cooperative launch"]),
        ("__global__ void k(float *p);\nvoid f(float *p) { k<<<1, 2>>>(p); }", ["an overloaded kernel"]),
        ("__global__ void d(float *p, int n = 3);\nvoid f(float *p) { d<<<1, 2>>>(p); }", ["default arguments"]),
        ('#include "other.h"\n', ["in a header"]),
        (
            "void f(cudaGraph_t g, cudaGraphNode_t *n, void **v) {\n    cudaKernelNodeParams p = {};\n"
            "    p.func = (void *)a::k;\n    cudaGraphAddKernelNode(n, g, 0, 0, &p); }",
            ["a node of a graph"],
        ),
    ],
)
def test_what_stays_is_told_why(tmp_path: Path, body: str, reasons: list[str]) -> None:
    (tmp_path / "other.h").write_text("inline void g(float *p) { k<<<1, 2>>>(4, p); }\n")
    after, findings = processed(tmp_path, f"{DECLARED}{body}\n")
    assert after == ""
    assert {item.code for item in findings} <= {"GPUOPT011"}
    for item, reason in zip(findings, reasons, strict=True):
        assert reason in item.message


def test_a_launch_that_does_not_compile_with_a_door_leaves_the_others_theirs(tmp_path: Path) -> None:
    text = DECLARED + (
        "__global__ void d(float *p, int n = 3);\n"
        "void f(float *p) {\nd<<<1, 2>>>(p);\na::k<<<1, 2>>>(p);\n}\n"
        "void g(cudaGraph_t t, cudaGraphNode_t *n, cudaKernelNodeParams *p, float *q) {\n"
        "k<<<1, 2>>>(4, q);\np->func = (void *)a::k;\ncudaGraphAddKernelNode(n, t, 0, 0, p); }\n"
    )
    after, findings = processed(tmp_path, text)
    assert [(item.code, item.kernel) for item in findings] == [
        ("GPUOPT010", "a::k"),
        ("GPUOPT010", "k"),
        ("GPUOPT011", "d"),
        ("GPUOPT011", "k"),  # the node
    ]
    assert "\nd<<<1, 2>>>(p);\n::gpuopt_out::gpuopt_to(a::k, " in after


def test_only_where_a_gpu_has_something_to_divide(tmp_path: Path) -> None:
    text = DECLARED + "void f(float *p) { k<<<1, 2>>>(4, p); }\n"
    assert patched(tmp_path, text, gpu="gtx285") == ("", [])
    assert patched(tmp_path, text, has_host_code=False) == ("", [])
