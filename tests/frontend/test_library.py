"""Functions of CUDA, of <cmath> and of the runtime: all are known, and what they do is no more than they can do."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.expr import coefficient
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.model import ParseLevel, SyncKind
from gpuopt_driver.frontend.options import ParseOptions
from gpuopt_driver.frontend.translation import Translation
from tests.frontend.conftest import access

_ONE = "tanh exp expm1 log1p cbrt erf tgamma rint nearbyint trunc fabs logb sqrt sinh acosh"
_TWO = "pow hypot fmod remainder copysign nextafter fmax fdim atan2"
_ASK = "isnan isinf isfinite signbit isnormal fpclassify ilogb lround"


def _calls() -> str:
    lines = []
    for name in [*_ONE.split(), *_TWO.split(), *_ASK.split()]:
        for space in ("", "std::"):
            if not space and name in ("isnormal", "fpclassify"):
                continue  # not in CUDA's
            for one in ("x", "y"):
                second = f", {one}" if name in _TWO.split() else ""
                lines += [f"y += {space}{name}({one}{second});"]
    return "\n".join(lines)


def test_mathematics_of_the_standard_library_only_gives_values(parse):
    unit = parse(
        "#include <cmath>\n#include <limits>\n#include <algorithm>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "__global__ void k(float *o, double *d, __half *h, __nv_bfloat16 *b, unsigned u, int n) {\n"
        "float x = o[threadIdx.x], f; double y = d[threadIdx.x]; __half z = h[0]; __nv_bfloat16 w = b[0]; int e;\n"
        + _calls()
        + "x += std::pow(x, 2) + std::pow(x, y) + std::frexp(x, &e) + std::modf(x, &f) + std::remquo(x, x, &e);\n"
        "x += std::fma(x, x, x) + std::hypot(x, x, x) + std::clamp(x, 1.f, 2.f) + std::isgreater(x, x);\n"
        "z = std::max(z, hexp(z)) + __hmax_nan(z, z) + __hfma_relu(z, z, z); w = hlog2(w) * __hadd_rn(w, w);\n"
        "u += __vadd2(u, u) + __vsetgts4(u, u) + __vabsss2(u) + __viaddmax_s16x2(u, u, u);\n"
        "n += __viaddmax_s32(n, n, n) + __vimax3_s32(n, n, n) + __hisinf(z) + __half2short_rz(z);\n"
        "x += std::numeric_limits<float>::infinity() - std::numeric_limits<float>::quiet_NaN();\n"
        "y += std::numeric_limits<double>::lowest() * std::numeric_limits<double>::denorm_min();\n"
        "sincos(x, &f, &x); x += __ldcs(o) + __ldlu(o) + __ldcg(o);\n"
        "o[threadIdx.x] = x + u + n; d[0] = y; h[1] = z; b[1] = w; }\n",
        level=ParseLevel.HOST,
    )
    (kernel,) = unit.kernels
    assert unit.diagnostics == ()
    assert [sync.text for sync in kernel.syncs] == []
    assert [call.name for call in kernel.calls if not call.known] == []
    assert [effect.unknown for effect in kernel.effects if effect.unknown] == []


@pytest.mark.parametrize(
    "body",
    [
        'asm volatile("bar.sync 0;"); return v;',
        "return v + threadIdx.x;",
        "static int kept = 0; return v + kept++;",
        "return v + shared_by_all++;",
        "__syncthreads(); return inner(v);",
        "return inner(v) + other(v);",
        "return inner(__shfl_sync(~0u, v, 0));",
        "return inner(atomicAdd(&shared_by_all, 1));",
    ],
)
def test_a_librarys_function_that_does_more_may_synchronise(tmp_path, parse, body):
    (tmp_path / "library.h").write_text(
        "__device__ int shared_by_all;\ninline __device__ int inner(int v) { return v * 2; }\n"
        "inline __device__ int other(int v) { __syncthreads(); return v; }\n"
        "inline __device__ int more(int v) { inner(v); BODY }\n".replace("BODY", body)
    )
    source = "#include <library.h>\n__global__ void k(int *o, int n) { o[threadIdx.x] = more(n); }\n"
    (kernel,) = parse(source, level=ParseLevel.HOST, system_dirs=(str(tmp_path),)).kernels
    assert [sync.kind for sync in kernel.syncs if sync.kind is SyncKind.UNKNOWN] == [SyncKind.UNKNOWN]


@pytest.mark.parametrize("call", ["std::swap(i, n)", "std::exchange(i, n)"])
def test_what_a_function_takes_by_reference_is_changed(parse, call):
    unit = parse(
        "#include <utility>\n#include <algorithm>\n"
        "__global__ void k(int *o, int n, int f) { int i = threadIdx.x; CALL; o[i] = 1; }\n".replace("CALL", call),
        level=ParseLevel.HOST,
    )
    offset = access(unit.kernels[0], "o[i]").offset
    assert str(coefficient(offset, "threadIdx.x")) == "Const(value=0)"


def test_an_argument_is_evaluated_once(parse):
    unit = parse(
        "#include <utility>\n"
        "__global__ void k(int *o, int n) { int i = 0; int a[4]; std::swap(a[i++], n); o[i] = 1; }\n",
        level=ParseLevel.HOST,
    )
    assert str(access(unit.kernels[0], "o[i]").offset) == "Const(value=4)"


def test_what_a_function_reads_through_a_pointer_is_an_access(kernel):
    made = kernel("__global__ void k(float *o, const float *p) { o[threadIdx.x] = normf(3, p); }")
    assert [(one.array.name, one.is_write) for one in made.accesses if one.array] == [("p", False), ("o", True)]


def test_functions_of_the_runtime_are_declared(parse):
    unit = parse(
        "__NV_SILENCE_DEPRECATION_BEGIN\n"
        "libraryPropertyType property = MAJOR_VERSION;\n"
        "__NV_SILENCE_DEPRECATION_END\n"
        "__global__ void k(float *a) { a[threadIdx.x] = 1; }\n"
        "bool f(cudaStream_t s) {\n"
        "  cudaStreamCaptureStatus status; cudaStreamIsCapturing(s, &status); int least, most;\n"
        "  cudaDeviceGetStreamPriorityRange(&least, &most); cudaStreamGetPriority(s, &least);\n"
        "  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; cudaThreadExchangeStreamCaptureMode(&mode);\n"
        "  cudaStreamAttrValue value; value.accessPolicyWindow.hitRatio = 1; value.accessPolicyWindow.num_bytes = 4;\n"
        "  cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &value);\n"
        "  cudaMemPool_t pool; cudaMemPoolProps props = {}; props.allocType = cudaMemAllocationTypePinned;\n"
        "  cudaMemPoolCreate(&pool, &props); cudaIpcMemHandle_t handle; cudaIpcGetMemHandle(&handle, nullptr);\n"
        "  k<<<1, 32>>>(nullptr); return status == cudaStreamCaptureStatusActive;\n"
        "}\n"
    )
    assert unit.diagnostics == ()


_NOT_DECLARED = re.compile(  # by us, and why
    r"__internal|_impl$|_internal$|^__\w{1,4}Atomic|^__float_simpl|^__nv_memcpy_async"  # the toolkit's own parts
    r"|^(__)?cuda|^operator|^make_|^__assert|^__(is(inf|nan)|finite|signbit)"  # the runtime's; vectors'; glibc's
    r"|^(any|all|ballot|syncthreads_\w+|d(mul|add|sub)|\w+2double|double2\w+)$"  # names of CUDA 1, which ours may have
    r"|^__cluster|^__threadfence_cluster|^__isCtaShared"  # clusters of blocks are not modelled
)


def test_every_function_of_the_toolkits_headers_is_declared(tmp_path, real_nvcc):
    source = tmp_path / "all.cu"
    source.write_text("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n")
    run = [real_nvcc, "-E", "-arch=sm_90", str(source)]
    text = subprocess.run(run, check=True, capture_output=True).stdout
    if b"release 13.0" not in subprocess.check_output([real_nvcc, "--version"]):
        pytest.skip("another toolkit has other functions")
    path = str(tmp_path / "toolkit.cu")
    options = ["-x", "cuda", "-std=c++17", "-nocudainc", "-nocudalib", "--cuda-device-only", "-ferror-limit=0"]
    index = libclang.Index(path, options, {path: text})
    wanted = sorted(set(_signatures(index.root())))
    index.close()
    assert len(wanted) > 1000
    calls = [f"{name}({', '.join(f'any_value<{_bare(one)}>()' for one in taken)});" for name, taken in wanted]
    head = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\ntemplate <class T> __device__ T &any_value();\n"
    ours = head + "__global__ void k() {\n" + "\n".join(calls) + "\n}\n"
    main = str(tmp_path / "ours.cu")
    Path(main).write_text(ours)
    made = Translation(main, ParseOptions(), ParseLevel.HOST, {main: ours.encode()})
    assert [text for severity, _where, text in made.index.diagnostics() if severity >= 3] == []


def _signatures(cursor):
    """(name, types) of the device functions below a cursor."""
    lib = libclang.library()
    for child in libclang.children(cursor):
        if child.kind in (K.NAMESPACE, K.LINKAGE_SPEC) and libclang.spelling(child) != "std":
            yield from _signatures(child)
        if child.kind != K.FUNCTION_DECL or _NOT_DECLARED.search(libclang.spelling(child)):
            continue
        count = lib.clang_Cursor_getNumArguments(child)
        arguments = [lib.clang_Cursor_getArgument(child, at) for at in range(count)]
        taken = tuple(types.spelled(types.canonical(lib.clang_getCursorType(one))) for one in arguments)
        on_device = any(part.kind == K.DEVICE_ATTR for part in libclang.children(child))
        if on_device and not any("std::" in one or "va_list" in one or "cudaRoundMode" in one for one in taken):
            yield libclang.spelling(child), taken


def _bare(type_: str) -> str:
    return re.sub(r"^const (?!.*[*&])", "", re.sub(r"[*] ?const$", "*", type_))


@pytest.mark.parametrize("small", ["__half", "__nv_bfloat16"])
def test_what_numbers_of_16_bits_are_made_and_assigned_of(parse, small):
    """A class of the user's that converts to float is assigned as one."""
    unit = parse(
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        f"struct Half {{ unsigned short x; __device__ operator float() const {{ return x; }} }}; typedef {small} S;\n"
        "__global__ void k(const Half *x, S *y, short s, unsigned short t, unsigned long u, long long v) {\n"
        "y[threadIdx.x] = x[threadIdx.x]; y[0] = 1; y[1] = 1.0; y[2] = s; y[3] = v; y[4] = S(t); y[5] = S(u); }\n",
        level=ParseLevel.HOST,
    )
    (kernel,) = unit.kernels
    assert unit.diagnostics == ()
    assert kernel.problems == ()
    assert [(one.text, one.bytes) for one in kernel.accesses if one.is_write] == [
        ("y[threadIdx.x]", 2),
        *((f"y[{at}]", 2) for at in range(6)),
    ]
