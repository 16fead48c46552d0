"""The kernels of `emulator_speed.py` as OpenCL on PoCL's CPU device, beside the emulator: ratios from one run.

    python benchmarks/emulator_pocl.py [--rounds 3] [--keep DIR]

Needs PoCL, an OpenCL loader and its headers (Debian: pocl-opencl-icd, ocl-icd-opencl-dev). CPU time on one core, best
of the rounds. `--keep` builds the program in a folder, for `emulator_speed.py --also`, and measures nothing. PoCL
compiles no CUDA, so it can be measured, but runs none of the conformance programs.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

from emulator_speed import BARRIERS, KERNELS, LAUNCHES, TIMING, _build, _times

_WORDS = {
    r"KERNEL void": "__kernel void",
    r"DEVICE ": "",
    r"LOCAL\(float\)": "__local float*",
    r"__shared__": "__local",
    r"__syncthreads\(\)": "barrier(CLK_LOCAL_MEM_FENCE)",
    r"(const )?float \*": r"__global \g<0>",
    r"\bhalf\b": "half_of_it",  # a type there
}
_INDICES = {
    "blockIdx": "get_group_id",
    "threadIdx": "get_local_id",
    "blockDim": "get_local_size",
    "gridDim": "get_num_groups",
}

HOST = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <map>
#include <string>
struct dim3 { size_t x, y, z; dim3(size_t a, size_t b = 1, size_t c = 1) : x(a), y(b), z(c) {} };
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static void need(cl_int error, const char *what) {
  if (error) { fprintf(stderr, "%s: OpenCL error %d\n", what, error); exit(1); }
}
static void open(const char *source) {
  cl_platform_id platforms[8];
  cl_device_id device = nullptr;
  cl_uint count = 0;
  cl_int error;
  need(clGetPlatformIDs(8, platforms, &count), "no platform");
  for (cl_uint i = 0; i < count && !device; ++i) {
    char name[64] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::string(name) == "Portable Computing Language")
      clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr);
  }
  if (!device) { fprintf(stderr, "PoCL has no CPU device here\n"); exit(1); }
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  need(error, "context");
  queue = clCreateCommandQueue(context, device, 0, &error);
  need(error, "queue");
  program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  need(error, "program");
  need(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "build");
}
static cl_mem memory(float *p) {  // buffers use the host's memory: nothing is copied
  static std::map<float *, cl_mem> known;
  cl_int error = 0;
  if (!known.count(p)) known[p] = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizes[p] * 4, p, &error);
  need(error, "buffer");
  return known[p];
}
static void set(cl_kernel k, cl_uint i, float *p) {
  cl_mem m = memory(p);
  need(clSetKernelArg(k, i, sizeof m, &m), "argument");
}
static void set(cl_kernel k, cl_uint i, int n) { need(clSetKernelArg(k, i, sizeof n, &n), "argument"); }
static void set(cl_kernel k, cl_uint i, float n) { need(clSetKernelArg(k, i, sizeof n, &n), "argument"); }
template <class... A> static void launch(const char *name, dim3 grid, dim3 block, A... arguments) {
  static std::map<std::string, cl_kernel> known;
  cl_int error = 0;
  if (!known.count(name)) known[name] = clCreateKernel(program, name, &error);
  need(error, name);
  cl_kernel kernel = known[name];
  cl_uint i = 0;
  (void)std::initializer_list<int>{(set(kernel, i++, arguments), 0)...};
  const size_t local[3] = {block.x, block.y, block.z};
  const size_t global[3] = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
  need(clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr), name);
}
#define LAUNCH(k, g, b, ...) launch(#k, g, b, __VA_ARGS__)
#define FINISH clFinish(queue)
"""


def opencl(source: str) -> str:
    """CUDA kernels of a simple kind as OpenCL C."""
    for word, other in _WORDS.items():
        source = re.sub(word, other, source)
    for word, other in _INDICES.items():
        source = re.sub(
            rf"{word}\.([xyz])", lambda found, call=other: f"((int){call}({'xyz'.index(found[1])}))", source
        )
    return source


def build(scratch: Path) -> Path:
    """The program for PoCL."""
    timing = TIMING.replace(
        "static float *array(size_t n) {",
        "#include <map>\nstatic std::map<float *, size_t> sizes;\nstatic float *array(size_t n) {",
    )
    timing = timing.replace("  return p;", "  sizes[p] = n;\n  return p;")
    kernels = f'static const char *const kernels = R"CL({opencl(KERNELS + BARRIERS)})CL";\n'
    main = LAUNCHES.replace("int main() {", "int main() {\n  open(kernels);")
    (scratch / "pocl.cpp").write_text(timing + HOST + kernels + main)
    subprocess.run(["g++", "-O2", "pocl.cpp", "-o", "pocl", "-lOpenCL"], cwd=scratch, check=True)
    return scratch / "pocl"


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    options = parser.parse_args()
    if options.keep:
        build(options.keep)
        return
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as name:
        programs = {"emulator": _build(Path(name), "")["emulator"], "PoCL": build(Path(name))}
        for _ in range(options.rounds):
            for column, program in programs.items():
                times = _times(program, GPUOPT_EMU_THREADS="1", POCL_MAX_PTHREAD_COUNT="1", SPEED_CPU_TIME="1")
                for kernel, time in times.items():
                    best[kernel, column] = min(best.get((kernel, column), 1e9), time)
    print("| kernel | emulator ms | PoCL ms | PoCL / emulator |\n|---|---|---|---|")
    for kernel in dict.fromkeys(kernel for kernel, _ in best):
        ours, theirs = best[kernel, "emulator"], best[kernel, "PoCL"]
        print(f"| {kernel} | {ours * 1e3:.2f} | {theirs * 1e3:.2f} | {theirs / ours:.2f} |")


if __name__ == "__main__":
    main()
