"""Byte offsets of memory accesses, and what must stay unknown."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.expr import Const, SymKind, evaluate, is_known, is_uniform, symbols, to_text
from gpuopt_driver.frontend.model import Space

from .conftest import access, factor

ATAX = """
#define NX 1024
__global__ void atax(float *A, float *x, float *tmp, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NX) {
    for (int j = 0; j < n; j++)
      tmp[i] += A[i * n + j] * x[j];
  }
}
"""


def test_row_per_thread(kernel):
    found = kernel(ATAX)
    loop = found.loops[0].symbol
    a = access(found, "A[i * n + j]")
    assert to_text(a.offset) == f"4*{loop} + 4*n*threadIdx.x + 4*blockDim.x*blockIdx.x*n"
    values = {loop: 3, "n": 100, "threadIdx.x": 7, "blockIdx.x": 2, "blockDim.x": 256}
    assert evaluate(a.offset, values) == 4 * ((2 * 256 + 7) * 100 + 3)
    assert (a.is_read, a.is_write, a.bytes, a.array.name, a.array.space) == (True, False, 4, "A", Space.GLOBAL)
    tmp = access(found, "tmp[i]")
    assert (tmp.is_read, tmp.is_write) == (True, True)
    assert factor(tmp.offset, "threadIdx.x") == 4
    assert factor(access(found, "x[j]").offset, "threadIdx.x") == 0
    assert a.loops == (found.loops[0].stmt,)
    assert not a.guarded


def test_two_dimensions(kernel):
    found = kernel("""
__global__ void gemm(const float *__restrict__ a, float *b, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 512; k++) sum += a[i * 512 + k] * b[k * 512 + j];
  c[i * 512 + j] = sum;
}""")
    loop = found.loops[0].symbol
    a, b, c = (access(found, text) for text in ("a[i * 512 + k]", "b[k * 512 + j]", "c[i * 512 + j]"))
    assert (factor(a.offset, "threadIdx.x"), factor(a.offset, "threadIdx.y"), factor(a.offset, loop)) == (0, 2048, 4)
    assert (factor(b.offset, "threadIdx.x"), factor(b.offset, "threadIdx.y"), factor(b.offset, loop)) == (4, 0, 2048)
    assert (c.is_read, c.is_write, c.loops) == (False, True, ())
    assert (a.array.restrict, a.array.const, b.array.restrict) == (True, True, False)


def test_pointers_walk(kernel):
    found = kernel("""
__global__ void k(float *a, float *b, int n) {
  float *row = a + threadIdx.x * n;
  const float *q = b;
  float *p = row;
  for (int y = 0; y < 4; y++) {
    for (int x = 0; x < 8; x++) row[x] = q[x];
    q += n;
    *p++ = 1;
    *(p + 3) = 2;
  }
}""")
    outer, inner = (loop.symbol for loop in found.loops)
    assert to_text(access(found, "row[x]").offset) == f"4*{inner} + 4*n*threadIdx.x"
    assert to_text(access(found, "q[x]").offset) == f"4*{inner} + 4*{outer}*n"
    assert to_text(access(found, "*p++").offset) == f"4*{outer} + 4*n*threadIdx.x"
    assert to_text(access(found, "*(p + 3)").offset) == f"4*{outer} + 4*n*threadIdx.x + 16"


def test_shared_arrays_structures_and_vectors(kernel):
    found = kernel("""
struct P { float x, y; int n[3]; };
extern __shared__ float dyn[];
__constant__ float table[16];
__device__ int counter;
__global__ void k(P *p, float4 *v, int i) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = p[i].y;
  p[threadIdx.x].n[2] = 1;
  (*p).x = p->y;
  v[threadIdx.x] = make_float4(1, 2, 3, 4);
  float4 w = v[i];
  v[i].z = w.x + table[3];
  dyn[threadIdx.x] = *reinterpret_cast<float *>(&v[2].w);
  float2 pair = reinterpret_cast<float2 *>(p)[1];
  atomicAdd(&counter, 1);
  dyn[1] = pair.x;
}""")
    tile = access(found, "tile[threadIdx.y][threadIdx.x]")
    assert to_text(tile.offset) == "4*threadIdx.x + 68*threadIdx.y"
    assert (tile.array.space, tile.array.extents) == (Space.SHARED, (Const(16), Const(17)))
    assert to_text(access(found, "p[i].y").offset) == "20*i + 4"
    field = access(found, "p[threadIdx.x].n[2]")
    assert (to_text(field.offset), field.bytes, field.array.element_bytes) == ("20*threadIdx.x + 16", 4, 20)
    assert to_text(access(found, "p->y").offset) == "4"
    whole = access(found, "v[threadIdx.x]")
    assert (whole.bytes, whole.is_write, factor(whole.offset, "threadIdx.x")) == (16, True, 16)
    assert access(found, "v[i]").bytes == 16
    assert (access(found, "v[i].z").bytes, to_text(access(found, "v[i].z").offset)) == (4, "16*i + 8")
    assert access(found, "table[3]").array.space is Space.CONSTANT
    assert to_text(access(found, "*reinterpret_cast<float *>(&v[2].w)").offset) == "44"
    cast = access(found, "reinterpret_cast<float2 *>(p)[1]")
    assert (cast.array.name, cast.bytes, to_text(cast.offset)) == ("p", 8, "8")
    atomic = access(found, "atomicAdd(&counter, 1)")
    assert (atomic.is_atomic, atomic.is_read, atomic.is_write, atomic.array.space) == (True, True, True, Space.GLOBAL)
    assert found.uses_dynamic_shared
    assert found.static_shared_bytes == 16 * 17 * 4
    assert access(found, "dyn[threadIdx.x]").array.dynamic


def test_structure_parameters(kernel):
    found = kernel("""
struct View { float *data; int pitch; __device__ float &at(int y, int x) const { return data[y * pitch + x]; } };
__global__ void k(View v, int n) {
  v.data[threadIdx.x] = 1;
  v.at(threadIdx.x, 3) = 2;
  v.pitch = n;
  v.data[v.pitch] = 3;
}""")
    assert to_text(access(found, "v.data[threadIdx.x]").offset) == "4*threadIdx.x"
    method = access(found, "v.at(threadIdx.x, 3)")
    assert to_text(method.offset) == "4*threadIdx.x*v.pitch + 12"
    assert method.array.name == "v.data"
    assert to_text(access(found, "v.data[v.pitch]").offset) == "4*n"


def test_cached_loads_references_and_volatile(kernel):
    found = kernel("""
__global__ void k(const float *a, volatile int *flag, float *b) {
  const float &r = a[threadIdx.x];
  float &w = b[2];
  w = r + __ldg(&a[5]) + __ldcs(a + 6);
  __stcg(b + 1, 3.f);
  int f = *flag;
  b[f] = 0;
}""")
    assert to_text(access(found, "r").offset) == "4*threadIdx.x"
    assert (to_text(access(found, "w").offset), access(found, "w").is_write) == ("8", True)
    assert to_text(access(found, "__ldg(&a[5])").offset) == "20"
    assert to_text(access(found, "__ldcs(a + 6)").offset) == "24"
    assert (access(found, "__stcg(b + 1, 3.f)").is_write, access(found, "__stcg(b + 1, 3.f)").is_read) == (True, False)
    assert access(found, "*flag").is_volatile
    assert not is_uniform(access(found, "b[f]").offset)


def test_device_functions_with_arguments(kernel):
    found = kernel("""
__device__ int clampi(int v, int low, int high) { if (v < low) return low; if (v > high) return high; return v; }
__device__ float pick(const float *p, int i) { return p[2 * i]; }
__device__ void put(float *p, int i, float v) { p[i] = v; __syncthreads(); }
__global__ void k(float *a, int n) {
  float v = pick(a + 3, threadIdx.x);
  put(a, clampi(threadIdx.x, 0, n - 1), v);
}""")
    read = access(found, "p[2 * i]")
    assert (to_text(read.offset), read.via) == ("8*threadIdx.x + 12", ("pick",))
    write = access(found, "p[i]")
    for thread, expected in ((3, 3), (50, 9)):
        assert evaluate(write.offset, {"threadIdx.x": thread, "n": 10}) == 4 * expected
    assert [sync.via for sync in found.syncs] == [("put",)]
    assert {call.name: call.known for call in found.calls} == {
        "pick": True,
        "clampi": True,
        "put": True,
        "__syncthreads": True,
    }


def test_conditional_values(kernel):
    found = kernel("""
__global__ void k(float *a, int n) {
  int i = threadIdx.x;
  if (i >= n) i = n - 1;
  int j = i > 3 ? i - 3 : 0;
  a[i] = a[j];
  a[min(i, 4)] = 1;
}""")
    for thread in (0, 5, 90):
        values = {"threadIdx.x": thread, "n": 64}
        assert evaluate(access(found, "a[i]").offset, values) == 4 * min(thread, 63)
        assert evaluate(access(found, "a[j]").offset, values) == 4 * max(0, min(thread, 63) - 3)
        assert evaluate(access(found, "a[min(i, 4)]").offset, values) == 4 * min(thread, 63, 4)


def test_data_dependent_is_unknown(kernel):
    found = kernel("""
__global__ void k(float *a, const int *__restrict__ idx, float **rows, int n) {
  a[idx[threadIdx.x]] = 1;
  a[idx[blockIdx.x]] = 2;
  float x = rows[n][threadIdx.x];
  int s = 0;
  for (int i = 0; i < n; i++) s = s * 3 + 1;
  a[s] = x;
}""")
    varying = access(found, "a[idx[threadIdx.x]]")
    assert not is_known(varying.offset)
    assert not is_uniform(varying.offset)
    same = access(found, "a[idx[blockIdx.x]]")
    assert not is_known(same.offset)
    assert is_uniform(same.offset)
    row = access(found, "rows[n][threadIdx.x]")
    assert row.array.space is Space.UNKNOWN
    assert factor(row.offset, "threadIdx.x") == 4
    assert not is_known(row.offset)
    assert not is_known(access(found, "a[s]").offset)


def test_modified_parameter_is_no_parameter(kernel):
    found = kernel("""
__global__ void k(float *a, int n, int m) {
  a[n] = 0;
  n = n / 2;
  a[n + 1] = 0;
  m = (int)a[3];
  a[m] = 1;
}""")
    assert to_text(access(found, "a[n]").offset) == "4*n"
    assert to_text(access(found, "a[n + 1]").offset) == "4*(n / 2) + 4"
    assert all(symbol.kind is SymKind.UNKNOWN for symbol in symbols(access(found, "a[m]").offset))


def test_address_taken_by_unknown_code_is_unknown(kernel):
    found = kernel("""
__device__ void mystery(int *);
__global__ void k(float *a) {
  int i = threadIdx.x, j = 3;
  a[i] = 0;
  mystery(&i);
  a[i + 1] = 0;
  a[j] = 0;
}""")
    assert not is_known(access(found, "a[i + 1]").offset)
    assert to_text(access(found, "a[j]").offset) == "12"
    assert [(call.name, call.known) for call in found.calls] == [("mystery", False)]


def test_pointer_to_local_variable(kernel):
    found = kernel("""
__device__ void advance(int *i, int by) { *i += by; }
__global__ void k(float *a) {
  int i = threadIdx.x;
  advance(&i, 5);
  a[i] = 0;
  int *p = &i;
  *p = 7;
  a[i + 1] = 0;
}""")
    assert to_text(access(found, "a[i]").offset) == "4*threadIdx.x + 20"
    assert to_text(access(found, "a[i + 1]").offset) == "32"


def test_guards_and_predicates(kernel):
    found = kernel("""
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  if (t >= n) return;
  a[t] = 0;
  for (int i = 0; i < n; i++) {
    a[i] = 1;
    if (i & 1) continue;
    a[i + 2] = 2;
    if (t > 3 && a[5] > 0) a[i + 3] = 3;
  }
}""")
    assert [to_text(part) for part in access(found, "a[t]").predicate] == ["(threadIdx.x < n)"]
    assert not access(found, "a[i]").guarded
    assert access(found, "a[i + 2]").guarded
    guarded = access(found, "a[i + 3]")
    assert guarded.guarded
    assert "(threadIdx.x > 3)" not in [to_text(part) for part in access(found, "a[i + 2]").predicate]


def test_lambdas_and_recursion(kernel):
    found = kernel("""
__device__ float down(const float *p, int n) { return n ? down(p, n - 1) + p[n] : 0.f; }
__global__ void k(float *a, int n) {
  int off = 2;
  auto at = [&](int i) { return a[i + off]; };
  off = 5;
  a[0] = at(threadIdx.x) + down(a, n);
}""")
    assert to_text(access(found, "a[i + off]").offset) == "4*threadIdx.x + 20"
    assert "recursion" in found.special


def test_texture_reads(kernel):
    found = kernel("""
__global__ void k(cudaTextureObject_t t, float *a) { a[threadIdx.x] = tex2D<float>(t, threadIdx.x, 3.f); }""")
    read = next(each for each in found.accesses if each.array.space is Space.TEXTURE)
    assert (read.bytes, read.is_read) == (4, True)
    assert not is_known(read.offset)


def test_copied_structures_are_whole_accesses(kernel):
    found = kernel("""
struct P { float x, y; int n[3]; };
__global__ void k(P *p) { P q = p[threadIdx.x]; p[1] = q; p[2] = p[3]; }""")
    assert [(each.text, each.bytes, each.is_write) for each in found.accesses] == [
        ("p[threadIdx.x]", 20, False),
        ("p[1]", 20, True),
        ("p[3]", 20, False),
        ("p[2]", 20, True),
    ]


def test_rounds_of_a_hash_become_unknown(kernel):
    rounds = "".join(
        f"  {a} += ((({b}) & ({c})) | ((~{b}) & ({d}))) + w + {i}u;\n"
        f"  {a} = ({a} << {i % 9 + 3}) | ({a} >> {29 - i % 9}); {a} += {b};\n"
        for i, (a, b, c, d) in enumerate(["abcd", "dabc", "cdab", "bcda"] * 16)
    )
    found = kernel(
        "__global__ void k(const int *p, unsigned *q, int n) {\n"
        f"  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, w = i, a = 1 + i, b = 2, c = 3, d = 4;\n"
        f"{rounds}  q[i] = p[a % 64u];\n}}"
    )
    assert not is_known(access(found, "p[a % 64u]").offset)
    assert is_known(access(found, "q[i]").offset)


def test_numbers_that_are_classes_are_loaded_converted_and_changed(kernel):
    found = kernel("""
#include <cuda_fp16.h>
__global__ void k(__half *a, const __half *b, float *s) {
  s[threadIdx.x] = (float)b[threadIdx.x];
  a[threadIdx.x] += b[3];
  __half own = b[1];
  own *= b[2];
  a[2] = own;
}""")
    assert found.syncs == ()
    assert all(call.known for call in found.calls)
    said = [(item.text, item.is_read, item.is_write) for item in found.accesses if "b[" in item.text]
    assert said == [(f"b[{index}]", True, False) for index in ("threadIdx.x", "3", "1", "2")]
    changed = access(found, "a[threadIdx.x]")
    assert (changed.is_read, changed.is_write, changed.bytes) == (True, True, 2)
    assert to_text(changed.offset) == "2*threadIdx.x"


_KEEPER = """
struct Space { float part[64]; };
template <class T> struct Keeper {
    Space &kept; int lane; float *plain;
    __device__ Keeper(Space &space, T) : kept(space), lane(threadIdx.x), plain(nullptr) {}
    __device__ float look(int i) { return kept.part[i]; }
    __device__ void put(float v) { kept.part[lane] = v; }
};
"""


@pytest.mark.parametrize("is_library", [False, True])
def test_a_member_that_is_a_reference_leads_to_what_it_was_bound_to(tmp_path, parse, is_library):
    (tmp_path / "keeper.h").write_text(_KEEPER)
    unit = parse(
        ("#include <keeper.h>\n" if is_library else _KEEPER) + "__global__ void k(float *o, Space *far) {\n"
        "    __shared__ Space near; Keeper<int>(near, 1).put(2); o[0] = Keeper<int>(near, 2).look(threadIdx.x);\n"
        "    o[1] = Keeper<float>(*far, 3).look(7);\n"
        "}\n",
        system_dirs=(str(tmp_path),),
    )
    seen = [(one.array.name, one.array.space, one.is_write) for one in unit.kernels[0].accesses if "part" in one.text]
    assert seen == [("near", Space.SHARED, True), ("near", Space.SHARED, False), ("far", Space.GLOBAL, False)]
