"""Versions for measurements alone: how many a file has, and whose."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision

KERNEL = """
__global__ void {name}(int n, float *x)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;{filler}
    if (i < n) x[i] *= 2;
}}
void run_{name}(int n, float *x) {{ {name}<<<(n + 255) / 256, 256>>>(n, x); }}
"""


def versions(path: Path, most: int, **kernels: int) -> list[str]:
    """The versions that a file gets, by name, of kernels with so many bytes of comments."""
    source = path / "a.cu"
    texts = [KERNEL.format(name=name, filler=f" /*{'-' * size}*/" if size else "") for name, size in kernels.items()]
    source.write_text("".join(texts))
    policy = Policy(gpu="h200")
    patched = process(Job(str(source), ParseOptions(), replace(policy, learn=replace(policy.learn, versions=most))))
    assert not patched.report.problems
    text = patched.patched.get(str(source), b"").decode()
    return re.findall(r"__global__ void (\w+__gpuopt_\w+)\(", text)


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (0, []),
        (2, ["a__gpuopt_launch_shape", "b__gpuopt_launch_shape"]),
        (
            4,
            [
                *("a__gpuopt_launch_shape", "a__gpuopt_coarsening_neighbours"),
                *("b__gpuopt_launch_shape", "c__gpuopt_launch_shape"),
            ],
        ),
    ],
)
def test_kernels_take_turns(tmp_path: Path, most: int, expected: list[str]) -> None:
    assert versions(tmp_path, most, a=0, b=0, c=0) == expected


def test_long_kernels_get_few(tmp_path: Path) -> None:
    assert versions(tmp_path, 8, a=20_000) == []
    assert versions(tmp_path, 8, a=7_000, b=100) == [
        "a__gpuopt_launch_shape",
        *("b__gpuopt_launch_shape", "b__gpuopt_coarsening_neighbours", "b__gpuopt_coarsening2"),
    ]


UNROLLED = """
template <int N> __global__ void {name}(int n, float *x)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < {trips}; ++k) x[i] += x[i] * {filler} k + N;
}}
void run_{name}(int n, float *x) {{ {launches} }}
"""


@pytest.mark.parametrize(
    ("trips", "instances", "expected"),
    [(8, 1, 5), (32, 1, 4), ("n", 1, 6), (8, 12, 4), (1, 1, 6), (64, 3, 3)],
    ids=["few trips", "many trips", "unknown trips", "instances", "small", "many trips of instances"],
)
def test_what_a_compiler_makes_of_a_text_counts(
    tmp_path: Path, trips: int | str, instances: int, expected: int
) -> None:
    """A kernel of 700 bytes has all three versions, two, one, or none; a small kernel behind it has three."""
    source = tmp_path / "a.cu"
    filler = " ".join(["(i + 1) *"] * 50)
    launches = " ".join(f"large<{number}><<<(n + 255) / 256, 256>>>(n, x);" for number in range(instances))
    large = UNROLLED.format(name="large", trips=trips, filler=filler, launches=launches)
    small = UNROLLED.format(name="small", trips=1, filler="", launches="small<1><<<(n + 255) / 256, 256>>>(n, x);")
    source.write_text(large + small)
    patched = process(Job(str(source), ParseOptions(), Policy(gpu="h200"))).patched.get(str(source), b"").decode()
    assert len(re.findall(r"__global__ void (\w+__gpuopt_\w+)\(", patched)) == expected


def test_a_copy_that_is_short_is_not_said_to_take_long(tmp_path: Path) -> None:
    """Where others of the file have taken the room, that is the reason; the kernel alone has all of its versions."""
    filler = " ".join(["(i + 1) *"] * 50)
    texts = [
        UNROLLED.format(name=name, trips=8, filler=filler, launches=f"{name}<1><<<(n + 255) / 256, 256>>>(n, x);")
        for name in ("first", "second", "third", "fourth")
    ]
    source, said = tmp_path / "a.cu", []
    for text in ("".join(texts), texts[3]):
        source.write_text(text)
        found = process(Job(str(source), ParseOptions(), Policy(gpu="h200"))).report.findings
        said.append({item.message for item in found if item.kernel == "fourth" and item.code == "GPUOPT015"})
    assert said[1] == set()
    assert said[0]
    assert all("others of the file leave" in one or "as many versions" in one for one in said[0]), said[0]
    assert any("others of the file leave" in one for one in said[0])


CALLING = """
__device__ float far(float x) {{ /*{filler}*/ return x * 2; }}
__global__ void calls(int n, float *x)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = far(x[i]) + far(x[i] + 1);
}}
void run(int n, float *x) {{ calls<<<(n + 255) / 256, 256>>>(n, x); }}
"""


@pytest.mark.parametrize(
    ("size", "most", "expected"),
    [
        (10, 8, ["launch_shape", "coarsening_neighbours", "coarsening2"]),
        (2_500, 8, ["launch_shape", "coarsening2"]),
        (2_500, 24, ["launch_shape", "coarsening_neighbours", "coarsening2"]),
        (6_000, 8, ["launch_shape"]),
        (6_000, 24, ["launch_shape", "coarsening2"]),
        (70_000, 8, []),
    ],
    ids=[
        "small",
        "repeated four times and once",
        "more are allowed",
        "repeated once",
        "more are allowed of these",
        "too long for any",
    ],
)
def test_functions_and_repeated_texts_count(tmp_path: Path, size: int, most: int, expected: list[str]) -> None:
    source = tmp_path / "a.cu"
    source.write_text(CALLING.format(filler="-" * size))
    policy = Policy(gpu="h200")
    found = process(Job(str(source), ParseOptions(), replace(policy, learn=replace(policy.learn, versions=most))))
    patched = found.patched.get(str(source), b"").decode()
    assert re.findall(r"__global__ void calls__gpuopt_(\w+)\(", patched) == expected
    codes = {item.code for item in found.report.findings if "takes long to compile" in item.message}
    assert codes == (set() if expected else {"GPUOPT015"})


def test_a_version_without_text_of_its_own_takes_no_room(tmp_path: Path) -> None:
    """Fewer resident blocks of a kernel that is too long for any copy."""
    source = tmp_path / "a.cu"
    source.write_text(GATHERING.format(filler="-" * 20_000))
    found = process(Job(str(source), ParseOptions(), Policy(gpu="h200"))).report.findings
    decisions = {item.plugin: item.decision for item in found if item.plugin in ("catt", "launch_shape")}
    assert decisions == {"catt": Decision.APPLIED, "launch_shape": Decision.DECLINED}


GATHERING = """
__global__ void gathers(int n, const int *at, const float *from, float *to)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /*{filler}*/
    if (i >= n) return;
    float sum = 0;
    unsigned place = i;
    for (int k = 0; k < n; ++k) {{
        sum += from[place];
        place = (place * 1664525u + at[place]) % n;
    }}
    to[i] = sum;
}}
void run(int n, const int *at, const float *from, float *to) {{ gathers<<<n / 256, 256>>>(n, at, from, to); }}
"""

SETTING_UP = """
struct curandStateOwn {{ unsigned d; }};
__device__ void curand_init(unsigned long long seed, unsigned long long at, unsigned long long, curandStateOwn *s)
{{
    s->d = seed + at;
}}
__global__ void set_up(curandStateOwn *states, float *x, int n)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    {body}
}}
void run(curandStateOwn *states, float *x, int n) {{ set_up<<<(n + 255) / 256, 256>>>(states, x, n); }}
"""


@pytest.mark.parametrize(
    ("body", "has_versions"),
    [
        ("curand_init(7, i, 0, &states[i]);", False),
        ("curandStateOwn own; curand_init(7, i, 0, &own); states[i] = own;", False),
        ("curand_init(7, i, 0, &states[i]); x[i] = states[i].d;", True),
        ("curandStateOwn own; curand_init(7, i, 0, &own); x[i] = own.d;", True),
        ("states[i].d = i;", True),
    ],
)
def test_kernels_that_set_up_generators_are_not_measured(tmp_path: Path, body: str, has_versions: bool) -> None:
    source = tmp_path / "a.cu"
    source.write_text(SETTING_UP.format(body=body))
    found = process(Job(str(source), ParseOptions(), Policy(gpu="h200")))
    codes = {item.code for item in found.report.findings if "generators" in item.message}
    assert bool(found.patched) is has_versions
    assert codes == (set() if has_versions else {"GPUOPT015"})


def test_plugins_that_only_measure_do_not_look_at_long_kernels(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    launches = "large<1><<<(n + 255) / 256, 256>>>(n, x);"
    source.write_text(UNROLLED.format(name="large", trips=64, filler="(i + 1) *" * 200, launches=launches))
    found = process(Job(str(source), ParseOptions(), Policy(gpu="h200"))).report.findings
    (item,) = (item for item in found if item.plugin == "read_only")
    assert item.code == "GPUOPT015"
    assert re.fullmatch(
        r"not looked at: a copy for measurements alone, of \d+ bytes .* takes long to compile", item.message
    )
