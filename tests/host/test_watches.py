"""What programs are to write down of launches: rules for it, beside versions, of several plugins; and warnings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Examination, Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant, Watch
from tests.host.small_plugins import examined, finding, plugin, said, together
from tests.variants.test_emit import run_program

SOURCE = """\
#include <cstdio>
__global__ void early(int *out, int n);
void first(int *out, int n) { early<<<1, n>>>(out, n); }
__global__ void early(int *out, int n) { out[threadIdx.x] += n; }
extern "C" __global__ void plain(int *out, int n, float f) { /*here*/ out[threadIdx.x] += n; }
namespace { template <class T, int N> __global__ void typed(T *out, T n) { out[threadIdx.x] += n + N; } }
int main()
{
    int *out, host[4];
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    first(out, 4);
    plain<<<dim3(1), 4>>>(out, 10, 1.5f);
    typed<int, 500><<<1, 4>>>(out, 100);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", host[3]);
}
"""


def watching(name: str, *keyed: str, beside: tuple[str, ...] = ()) -> Any:
    """A plugin that asks for these numbers of every kernel."""

    def propose(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        return Proposal((finding(name, kernel, Decision.APPLIED),), watch=Watch(kernel.usr, keyed, beside))

    return plugin(name, propose)


def versions(name: str) -> Any:
    """A plugin with a version of `plain` that adds a thousand."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        if kernel.name != "plain":
            return Proposal((finding(name, kernel, Decision.DECLINED),))
        at = context.unit.files[kernel.span.file].data.index(b"/*here*/")
        edit = Edit(kernel.span.file, at, at, b"out[threadIdx.x] += 1000; ")
        made = Variant(kernel.usr, name, (edit,), "return n == 10;")
        return Proposal((finding(name, kernel, Decision.APPLIED),), variants=(made,))

    return plugin(name, propose)


def processed(directory: Path, *plugins: Any) -> Examination:
    source = directory / "combined.cu"
    source.write_text(SOURCE)
    return process(Job(str(source), ParseOptions(), Policy()), together(*plugins))


@pytest.mark.parametrize(("others", "printed"), [((), "614\n"), (("more",), "1614\n")])
def test_all_kinds_of_kernels_are_watched_beside_versions(
    tmp_path: Path, host_compiler: str, others: tuple[str, ...], printed: str
) -> None:
    made = processed(tmp_path, watching("see", "n", "gridDim.x"), watching("too", "blockDim"), *map(versions, others))
    numbers = tmp_path / "numbers"
    done = run_program(tmp_path, dict(made.patched), GPUOPT_NUMBERS=str(numbers))
    assert (done.stdout, done.stderr) == (printed, "")
    found = {one["kernel"].rpartition("::")[2]: one for one in map(json.loads, numbers.read_text().splitlines())}
    names = ["blockDim.x", "blockDim.y", "blockDim.z", "n", "gridDim.x"]
    assert {name: (one["names"], one["sets"]) for name, one in found.items()} == {
        "early": (names, [[1, 4, 1, 1, 4, 1]]),
        "plain": (names, [[1, 4, 1, 1, 10, 1]]),
        "typed": (names, [[1, 4, 1, 1, 100, 1]]),
    }


def test_without_a_file_the_program_is_what_it_was(tmp_path: Path, host_compiler: str) -> None:
    done = run_program(tmp_path, dict(processed(tmp_path, watching("see", "n")).patched))
    assert (done.stdout, done.stderr) == ("614\n", "")


def test_who_only_watches_has_no_runtime_of_versions(tmp_path: Path) -> None:
    (text,) = processed(tmp_path, watching("see", "n")).patched.values()
    assert b"GPUOPT_NUMBERS" in text
    assert b"GPUOPT_DISPATCH" not in text
    assert text.splitlines()[: SOURCE.count("\n")][-2:] == SOURCE.encode().splitlines()[-2:]


def test_of_many_numbers_the_first_sixty_are_written_down(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(70)]
    source = f"__global__ void add({', '.join(f'int {name}' for name in names)}) {{}}\n"
    source += f"void all() {{ add<<<1, 1>>>({', '.join('1' for _ in names)}); }}\n"
    for keyed, beside, counts in ((names, (), b"60u, 60u"), (names[:50], tuple(names[50:]), b"60u, 50u")):
        (text,) = examined(tmp_path, [watching("see", *keyed, beside=beside)], source).patched.values()
        assert counts in text
        assert b"gpuopt_rt::see(n59)" in text
        assert b"gpuopt_rt::see(n60)" not in text


ODD = {
    "another kernel": Watch("c:nobody", ("n",)),
    "nothing": Watch("", ()),
    "a pointer": Watch("", ("x",)),
    "no parameter": Watch("", ("m",)),
    "no axis": Watch("", ("blockDim.w",)),
    "a pointer beside": Watch("", ("n",), ("x",)),
    "no watch": "n",
}


@pytest.mark.parametrize("watch", ODD.values(), ids=ODD.keys())
def test_what_is_no_watch_leaves_the_plugin_out(tmp_path: Path, watch: Any) -> None:
    def propose(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        one = Watch(kernel.usr, watch.keyed, watch.beside) if isinstance(watch, Watch) and not watch.kernel else watch
        return Proposal((finding("bad", kernel, Decision.APPLIED),), watch=one)

    result = examined(tmp_path, [plugin("bad", propose)])
    (problem,) = result.report.problems
    assert "plugin bad proposed a watch of " in problem.message or "plugin bad returned" in problem.message
    assert not result.patched


def test_a_kernel_whose_launches_cannot_be_changed_is_not_watched(tmp_path: Path) -> None:
    source = (
        "#define GO add<<<1, 64>>>(x, n)\n__global__ void add(float *x, int n) {}\nvoid all(float *x, int n) { GO; }\n"
    )
    result = examined(tmp_path, [watching("see", "n")], source)
    assert not result.patched
    assert said(result)[0][1:] == ("declined", "GPUOPT012")


def test_warnings_are_said_once_for_all_kernels(tmp_path: Path) -> None:
    def propose(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        return Proposal((finding("tells", kernel, Decision.DECLINED),), warnings=("the option means nothing",))

    source = "__global__ void a(int n) {}\n__global__ void b(int n) {}\n"
    result = examined(tmp_path, [plugin("tells", propose)], source)
    assert [problem.message for problem in result.report.problems] == ["plugin tells: the option means nothing"]


def test_a_warning_that_is_no_text_leaves_the_plugin_out(tmp_path: Path) -> None:
    def propose(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        return Proposal((finding("bad", kernel, Decision.APPLIED),), warnings=(3,))  # type: ignore[arg-type]

    (problem,) = examined(tmp_path, [plugin("bad", propose)]).report.problems
    assert "a warning that is no text" in problem.message


@pytest.mark.parametrize("others", [(), ("more",)], ids=["watched", "versions"])
def test_macros_of_the_program_do_no_harm(tmp_path: Path, others: tuple[str, ...]) -> None:
    """Words of guards and launch functions, and one in the kernel's own declaration, which stays what it is there."""
    words = ("trace(x) x", "key 3", "note(x) x", "memo", "pick 1", "warps 8", "known", "see(x)", "watched 4", "entry 5")
    macros = "".join(f"#define {word}\n" for word in (*words, "whole int"))
    source = tmp_path / "combined.cu"
    source.write_text(macros + SOURCE.replace("int *out, int n, float f", "whole *out, whole n, float f"))
    made = process(Job(str(source), ParseOptions(), Policy()), together(watching("see", "n"), *map(versions, others)))
    assert [problem.message for problem in made.report.problems] == []
    (text,) = made.patched.values()
    assert text.count(b"(::gpuopt_rt::config(") == 3
