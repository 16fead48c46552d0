"""The benchmarks' view of source trees and object files."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def sources() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sources", HERE / "sources.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sources"] = module
    spec.loader.exec_module(module)
    return module


def test_included_files_are_no_units(sources: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    for name, text in {
        "main.cu": '#include "kernels/near.cu"\n  #  include "far.cu"\n',
        "kernels/near.cu": "",
        "kernels/far.cu": "",
        "kernels/alone.cu": "",
        "main.cpp": '#include "kernels/../from_cpp.cu"\n',
        "from_cpp.cu": "",
    }.items():
        (tmp_path / name).write_text(text)
    assert sources.translation_units(tmp_path) == [Path("kernels/alone.cu"), Path("main.cu")]


@pytest.mark.parametrize(
    ("demangled", "name"),
    [
        ("plain(float*)", "plain"),
        ("void a::(anonymous namespace)::b<int, (char)3>(int*)", "b"),
        ("void outer<f(int)>::inner<std::pair<int, int> >(int (*)(int))", "inner"),
        ("plain", "plain"),
    ],
)
def test_plain_name(sources: ModuleType, demangled: str, name: str) -> None:
    assert sources.plain_name(demangled) == name


@pytest.mark.nvcc
def test_kernels_of_an_object_file(sources: ModuleType, tmp_path: Path, real_nvcc: str) -> None:
    (tmp_path / "some.cu").write_text(
        "namespace a { template <class T> __global__ void of_template(T *p) { *p = 1; }\n"
        "namespace { __global__ void hidden(int *p) { *p = 2; } } }\n"
        'extern "C" __global__ void of_c(float *p) { *p = 1; }\n'
        "static __global__ void local(float *p) { *p = 1; }\n"
        "__device__ int no_kernel() { return 1; }\n"
        "void go() { a::of_template<int><<<1, 1>>>(0); a::hidden<<<1, 1>>>(0); local<<<1, 1>>>(0); }\n"
    )
    done = sources.compile_unit(real_nvcc, ["-arch=sm_90"], Path("some.cu"), tmp_path / "some.o", tmp_path)
    assert done.ok, done.message
    assert sources.kernels_in_object(tmp_path / "some.o") == {"of_template", "hidden", "of_c", "local"}
    bad = sources.compile_unit(real_nvcc, ["-arch=sm_90"], Path("none.cu"), tmp_path / "none.o", tmp_path)
    assert not bad.ok
    assert "none.cu" in bad.message
