"""Reuse between blocks: distances, directions, classes, conflicts, and what stands against another order."""

from __future__ import annotations

import pytest

from gpuopt_driver.analysis.block_forms import accesses, subscripts
from gpuopt_driver.analysis.block_independence import Obstacle, objection, returns_before_barrier
from gpuopt_driver.analysis.block_reuse import conflict, direction, distance, reuse
from gpuopt_driver.analysis.block_sets import Grid
from gpuopt_driver.analysis.block_survey import Kind, Survey, survey
from gpuopt_driver.analysis.block_traffic import walks
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Const, Sym, SymKind
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

SOURCE = """
#define AT(y, x) ((y) * n + (x))
#define HEAD int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
__global__ void matmul(int n, const float *A, const float *B, float *C) {
  HEAD float s = 0;
  for (int k = 0; k < n; k++) s += A[AT(y, k)] * B[AT(k, x)];
  C[AT(y, x)] = s;
}
__global__ void tall(const float *A, const float *B, float *C) {
  HEAD float s = 0;
  for (int k = 0; k < 64; k++) s += A[y * 64 + k] * B[k * 32 + x];
  C[y * 32 + x] = s;
}
__global__ void conv(int n, const float *in, float *out) {
  HEAD
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
    float s = 0;
    for (int a = -1; a <= 1; a++) for (int b = -1; b <= 1; b++) s += in[AT(y + a, x + b)];
    out[AT(y, x)] = s;
  }
}
__global__ void demosaic(int n, const float *in, float *out) {
  HEAD
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  out[AT(y, x)] = (in[AT(y, x - 1)] + in[AT(y, x + 1)] + in[AT(y - 1, x)] + in[AT(y + 1, x)]) * 0.25f;
}
__global__ void imregionmax(int n, const float *in, float *out) {
  HEAD
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float most = in[AT(y, x)];
  for (int a = -1; a <= 1; a++)
    for (int b = -1; b <= 1; b++) most = most > in[AT(y + a, x + b)] ? most : in[AT(y + a, x + b)];
  out[AT(y, x)] = most;
}
__global__ void transpose(int n, const float *in, float *out) { HEAD out[AT(y, x)] = in[AT(x, y)]; }
__global__ void laplace(int n, const float *in, float *out) {
  HEAD int z = blockIdx.z;
  out[(z * n + y) * n + x] = in[(z * n + y) * n + x - 1] + in[(z * n + y) * n + x + 1] + in[(z * n + y - 1) * n + x]
    + in[(z * n + y + 1) * n + x] + in[((z - 1) * n + y) * n + x] + in[((z + 1) * n + y) * n + x];
}
__global__ void micro(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + in[i + blockDim.x];
}
__global__ void stream(int n, const float *a, float *b) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = a[i];
}
__global__ void gather(const int *at, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[at[i]];
}
__global__ void partly(int n, const int *at, const float *a, const float *x, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = a[at[i]];
  for (int k = 0; k < n; k++) s += x[k];
  b[i] = s;
}
__global__ void shifted(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i + 1];
}
__global__ void updated(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) y[i] += x[k];
}
__global__ void everywhere(float *y) { y[threadIdx.x] = blockIdx.x; }
__global__ void counted(int *bins) { atomicAdd(&bins[blockIdx.x % 7], 1); }
__global__ void early(int n, float *a) {
  __shared__ float all[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n == 0) return;
  all[threadIdx.x] = a[i];
  __syncthreads();
  if (i >= n) return;
  a[i] = all[0];
}
void run(int n, const int *at, float *a, float *b, float *c) {
  dim3 block(16, 16), grid(n / 16, n / 16);
  matmul<<<grid, block>>>(n, a, b, c);
  tall<<<dim3(2, 64), block>>>(a, b, c);
  conv<<<grid, block>>>(n, a, b);
  demosaic<<<grid, block>>>(n, a, b);
  imregionmax<<<grid, block>>>(n, a, b);
  transpose<<<grid, block>>>(n, a, b);
  laplace<<<dim3(n / 16, n / 16, n), block>>>(n, a, b);
  micro<<<n, 256>>>(a, b);
  stream<<<n, 256>>>(n, a, b);
  gather<<<n, 256>>>(at, a, b);
  partly<<<n, 256>>>(n, at, a, b, c);
  shifted<<<n, 256>>>(a);
  updated<<<n, 256>>>(n, a, b);
  everywhere<<<8, 256>>>(a);
  early<<<n, 256>>>(n, a);
}
"""


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Unit:
    path = tmp_path_factory.mktemp("reuse") / "kernels.cu"
    path.write_text(SOURCE)
    return parse_unit(path, ParseOptions())


def _kernel(unit: Unit, name: str) -> Kernel:
    return next(kernel for kernel in unit.kernels if kernel.name == name)


def _survey(unit: Unit, name: str) -> Survey:
    kernel = _kernel(unit, name)
    return survey(kernel, unit.launches_of(kernel), 128, 32)


@pytest.mark.parametrize(
    ("name", "along", "distances", "kind"),
    [
        ("matmul", "x", (7, 7, 0), Kind.ALGORITHM),
        ("tall", "y", (1, 63, 0), Kind.ALGORITHM),
        ("conv", "x", (3, 1, 0), Kind.ALGORITHM),
        ("demosaic", "x", (3, 1, 0), Kind.ALGORITHM),
        ("imregionmax", "x", (3, 1, 0), Kind.ALGORITHM),
        ("transpose", "y", (0, 1, 0), Kind.LINE),
        ("laplace", "x", (3, 1, 2), Kind.ALGORITHM),
        ("micro", "x", (1, 0, 0), Kind.ALGORITHM),
        ("stream", "round-robin", (0, 0, 0), Kind.STREAMING),
        ("gather", "round-robin", (0, 0, 0), Kind.DATA),
        ("partly", "x", (7, 0, 0), Kind.ALGORITHM),
        ("shifted", "x", (1, 0, 0), Kind.WRITE),
        ("updated", "x", (7, 0, 0), Kind.ALGORITHM),
    ],
)
def test_direction_and_class(unit: Unit, name: str, along: str, distances: tuple[int, int, int], kind: Kind) -> None:
    """Algorithm 1 on the kernels of the mapping paper, and the classes of the clustering paper."""
    found = _survey(unit, name)
    assert (found.direction, found.distances, found.kind) == (along, distances, kind)
    assert found.evidence


def test_smaller_lines_bring_less_reuse(unit: Unit) -> None:
    """With sectors of 32 bytes, blocks 16 columns wide meet their neighbours only."""
    kernel = _kernel(unit, "conv")
    assert survey(kernel, unit.launches_of(kernel), 32, 32).distances == (1, 1, 0)


def test_evidence_names_arrays_and_neighbours_share_bytes(unit: Unit) -> None:
    found = _survey(unit, "matmul")
    assert "A is read by blocks up to 7 apart along x" in found.evidence
    assert "B is read by blocks up to 7 apart along y" in found.evidence
    assert found.shared_bytes == (16 * 4096, 16 * 4096, 0)  # n taken as 1024
    assert not found.exact
    assert _survey(unit, "tall").exact


def test_subscripts_come_back_without_knowing_the_extent() -> None:
    n, x, y = Sym("n", SymKind.PARAM), Sym("threadIdx.x", SymKind.THREAD), Sym("blockIdx.y", SymKind.BLOCK)
    offset = expr.add(expr.mul(Const(4), n, expr.add(expr.mul(Const(16), y), Const(3))), expr.mul(Const(4), x))
    found = subscripts(offset)
    assert found is not None
    assert [(one.factor, one.linear, one.constant) for one in found] == [
        (("n",), (("blockIdx.y", 64),), 12),
        ((), (("threadIdx.x", 4),), 0),
    ]
    assert subscripts(expr.mul(x, y)) is None


def test_a_distance_is_the_largest_one(unit: Unit) -> None:
    found = accesses(_kernel(unit, "matmul"))
    a, b = (next(form for form in found.forms if form.array == name) for name in "AB")
    grid = Grid((16, 16, 1), (10, 6, 1))
    assert [distance(a, a, grid, axis, 0) for axis in range(3)] == [9, 0, 0]
    assert [distance(b, b, grid, axis, 0) for axis in range(3)] == [0, 5, 0]
    assert direction(reuse(found.forms, grid, 128)) == ("x", 9)
    assert direction(reuse(found.forms, Grid((16, 16, 1), (6, 10, 1)), 128)) == ("y", 9)


def test_conflicts_between_blocks(unit: Unit) -> None:
    grid = Grid((256, 1, 1), (8, 1, 1))
    for name, meets in (("shifted", True), ("updated", False), ("everywhere", True), ("micro", False)):
        forms = [form for form in accesses(_kernel(unit, name)).forms if form.is_write]
        every = [form for form in accesses(_kernel(unit, name)).forms if form.array == forms[0].array]
        assert any(conflict(forms[0], other, grid) for other in every) is meets, name


@pytest.mark.parametrize(
    ("name", "obstacle"),
    [
        ("matmul", None),
        ("updated", None),
        ("shifted", Obstacle.RACES),
        ("everywhere", Obstacle.RACES),
        ("counted", None),
    ],
)
def test_objections(unit: Unit, name: str, obstacle: Obstacle | None) -> None:
    kernel, found = _kernel(unit, name), _survey(unit, name)
    one = objection(kernel, unit.files[kernel.span.file], found.found, found.grid)
    assert (one.obstacle if one else None) is obstacle


def test_returns_before_barriers(unit: Unit) -> None:
    """Uniform returns, and returns behind the last barrier, are no obstacle."""
    assert returns_before_barrier(_kernel(unit, "early")) is None


def test_strides_of_all_forms_or_none(unit: Unit) -> None:
    found = walks(accesses(_kernel(unit, "matmul")).forms)
    assert found is not None
    assert len(found) == 3
    assert expr.to_text(found[0].requests) == "max(0, n)"
