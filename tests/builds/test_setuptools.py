"""A Python extension with CUDA sources, built by setuptools in the ways that PyTorch's extension builder has.

Through ninja with the compiler that PYTORCH_NVCC names (which may be two words) or that CUDA_HOME has, or one by one
with CUDA_HOME's; objects are linked for the device first, and then by the host compiler.
"""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.support import Project, tool, toolkit_of

pytestmark = [pytest.mark.nvcc, pytest.mark.xdist_group("setuptools")]

MODULE = """\
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "rows.h"

static PyObject *available(PyObject *, PyObject *) {
    return PyLong_FromLong(plain_sums != nullptr && weighted_sums != nullptr);
}
static PyMethodDef methods[] = {{"available", available, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "rows", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};
PyMODINIT_FUNC PyInit_rows() { return PyModule_Create(&module); }
"""

SETUP = '''\
import os, pathlib, re, subprocess, sysconfig
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HOME = os.environ["CUDA_HOME"]
COMMON = ["-I" + os.path.join(HOME, "include"), "-I" + sysconfig.get_paths()["include"]]
CUDA = ["-D__CUDA_NO_HALF_OPERATORS__", "--expt-relaxed-constexpr", "-gencode=arch=compute_90,code=compute_90",
        "-gencode=arch=compute_90,code=sm_90", "--compiler-options", "'-fPIC'", "-std=c++17", "-rdc=true"]
DEPENDENCIES = "--generate-dependencies-with-compile --dependency-output"
NINJA = """\\
ninja_required_version = 1.3
cxx = c++
nvcc = {nvcc}
cflags = -fPIC {common}
cuda_cflags = {common}
cuda_post_cflags = {cuda}
rule compile
  command = $cxx -MMD -MF $out.d $cflags -c $in -o $out
  depfile = $out.d
  deps = gcc
rule cuda_compile
  depfile = $out.d
  deps = gcc
  command = $nvcc {dependencies} $out.d $cuda_cflags -c $in -o $out $cuda_post_cflags
rule cuda_devlink
  command = $nvcc $in -o $out -dlink -gencode=arch=compute_90,code=sm_90 --compiler-options '-fPIC'
"""

class BuildExtension(build_ext):
    def build_extension(self, extension):
        version = subprocess.check_output([os.path.join(HOME, "bin", "nvcc"), "--version"], text=True)
        assert re.search(r"release (\\d+[.]\\d+)", version)
        out = pathlib.Path(self.build_temp).absolute()
        out.mkdir(parents=True, exist_ok=True)
        places = {source: out / (pathlib.Path(source).stem + ".o") for source in extension.sources}
        (self.with_ninja if os.environ.get("USE_NINJA") != "0" else self.one_by_one)(out, places)
        target = self.get_ext_fullpath(extension.name)
        pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
        libraries = ["-L" + os.path.join(HOME, "lib64"), "-lcudart_static", "-lrt", "-ldl", "-lpthread"]
        subprocess.check_call(["c++", "-shared", *map(str, out.glob("*.o")), *libraries, "-o", target])

    def with_ninja(self, out, places):
        nvcc = os.environ.get("PYTORCH_NVCC", os.path.join(HOME, "bin", "nvcc"))
        escape = lambda path: str(path).replace(" ", "$ ")
        common = " ".join("'%s'" % flag for flag in COMMON)
        text = NINJA.format(nvcc=nvcc, dependencies=DEPENDENCIES, common=common, cuda=" ".join(CUDA))
        for source, place in places.items():
            rule = "cuda_compile" if source.endswith(".cu") else "compile"
            text += "build %s: %s %s\\n" % (escape(place), rule, escape(pathlib.Path(source).absolute()))
        cuda = " ".join(escape(place) for source, place in places.items() if source.endswith(".cu"))
        text += "build %s: cuda_devlink %s\\n" % (escape(out / "dlink.o"), cuda)
        (out / "build.ninja").write_text(text)
        subprocess.check_call(["ninja", "-v"], cwd=out)

    def one_by_one(self, out, places):
        nvcc = os.path.join(HOME, "bin", "nvcc")
        for source, place in places.items():
            flags = [flag.replace("'", "") for flag in CUDA] if source.endswith(".cu") else ["-fPIC"]
            line = [nvcc if source.endswith(".cu") else "c++", *COMMON, "-c", source, "-o", str(place), *flags]
            subprocess.check_call(line)
        cuda = [str(place) for source, place in places.items() if source.endswith(".cu")]
        link = ["-dlink", "-arch=sm_90", "--compiler-options", "-fPIC"]
        subprocess.check_call([nvcc, *cuda, "-o", str(out / "dlink.o"), *link])

setup(name="rows", ext_modules=[Extension("rows", ["module.cpp", "plain.cu", "weighted.cu"])],
      cmdclass={"build_ext": BuildExtension}, py_modules=[])
'''


@pytest.fixture
def extension(project: Project) -> Project:
    """The project as an extension module."""
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        pytest.skip("no Python.h on this machine")
    project.write("module.cpp", MODULE)
    project.write("setup.py", SETUP)
    return project


def imported(project: Project) -> None:
    """The module that was built can be imported, and is patched."""
    assert project.run(sys.executable, "-c", "import rows; print(rows.available())").strip() == "1"
    assert project.patched(f"rows{sysconfig.get_config_var('EXT_SUFFIX')}")


def test_named_by_pytorch_nvcc(extension: Project, real_nvcc: str) -> None:
    tool("ninja")
    settings = {"CUDA_HOME": toolkit_of(real_nvcc), "PYTORCH_NVCC": f"env EXAMPLE=1 '{extension.gpuopt}'"}
    build = [sys.executable, "setup.py", "build_ext", "--inplace", "--build-temp", "temp"]
    extension.run(*build, **settings)
    imported(extension)
    assert "no work to do" in extension.run(*build, **settings)
    extension.touch("rows.cuh")
    assert "[3/3]" in extension.run(*build, **settings)


@pytest.mark.parametrize("ninja", ["0", "1"])
def test_found_through_cuda_home(extension: Project, tmp_path: Path, ninja: str) -> None:
    """A toolkit-shaped directory whose nvcc is ours: what looks for a toolkit's root needs no other setting."""
    tool("ninja")
    place = extension.root.rename(tmp_path / "extension")  # without a blank: the builder quotes no program names
    moved = replace(extension, root=place)
    moved.follow("Python extensions", USE_NINJA=ninja)
    imported(moved)
