"""A program: what a seed stands for, and its text."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from .grammar.kernels import Kernel, kernel
from .launches import Launch, launch
from .prelude import needed

EMULATOR: tuple[str, ...] = ()  # words of forms that the emulator does not know
FLOATS = 0.55  # how many kernels have floating point
_HEAD = """\
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <new>
#define LAUNCH(k, g, b, s, ...) k<<<g, b, s>>>(__VA_ARGS__)
#define GIVEN(...) do { __VA_ARGS__; } while (0)
#define DISPATCHED(which, ...) [&] { switch (which) { CASE(0, int, __VA_ARGS__) default: CASE(1, float, __VA_ARGS__) } }()
#define CASE(number, T, ...) case number: { using scalar_t = T; (void)sizeof(scalar_t); __VA_ARGS__(); break; }
"""
_MAIN = """\
static unsigned *A, *B, *U, *bins;
static float *F, *V;
static unsigned words[131072];
static FILE *dump;
static Par par;
static void reset() {
  for (unsigned i = 0; i < 4096; i++) words[i] = i * 2654435761u;
  cudaMemcpy(U, words, 16384, cudaMemcpyHostToDevice);
  cudaMemset(V, 0, 16384);
  cudaMemset(bins, 0, 256);
  par = Par{{3u, 5u, 7u, 11u}, 2, 1u};
}
static unsigned taken(const void *from, int count, bool single) {
  unsigned h = 2166136261u;
  cudaMemcpy(words, from, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; i++) {
    if (single && (words[i] & 0x7fffffffu) > 0x7f800000u) words[i] = 0x7fffffffu;
    h = (h ^ words[i]) * 16777619u;
  }
  if (dump) fwrite(words, sizeof(unsigned), count, dump);
  return h;
}
static void report(const char *name, int number) {
  const int error = (int)cudaDeviceSynchronize(), sticky = (int)cudaGetLastError();
  const unsigned u = taken(U, 4096, false), v = taken(V, 4096, true), b = taken(bins, 64, false);
  printf("%s %d error %d %d U %08x V %08x bins %08x\\n", name, number, error, sticky, u, v, b);
  fflush(stdout);
}
"""
_START = """\
int main(int argc, char **argv) {
  unsigned seed = 12345u;
  if (argc > 1) dump = fopen(argv[1], "wb");
  cudaMalloc(&A, sizeof words); cudaMalloc(&B, sizeof words); cudaMalloc(&F, sizeof words);
  cudaMalloc(&U, 16384); cudaMalloc(&V, 16384); cudaMalloc(&bins, 256);
  for (unsigned &word : words) { seed = seed * 1664525u + 1013904223u; word = seed >> 7; }
  cudaMemcpy(A, words, sizeof words, cudaMemcpyHostToDevice);
  for (unsigned &word : words) { seed = seed * 1664525u + 1013904223u; word = seed >> 9; }
  cudaMemcpy(B, words, sizeof words, cudaMemcpyHostToDevice);
  for (unsigned &word : words) {
    seed = seed * 1664525u + 1013904223u;
    const float value = (float)(int)(seed >> 8) / 8388608.0f - 1.0f;
    memcpy(&word, &value, sizeof word);
  }
  cudaMemcpy(F, words, sizeof words, cudaMemcpyHostToDevice);
"""


_OTHER_SALT = (
    "\n#undef SALT\n#define SALT 5u\n"  # behind a kernel that uses it: there its text would mean something else
)


@dataclass(frozen=True)
class Program:
    """Kernels and their launches; what the seed says beyond them is how they are forced."""

    seed: int
    kernels: tuple[Kernel, ...]
    launches: tuple[Launch, ...]

    @property
    def text(self) -> str:
        """The source."""
        made = "\n".join(one.text + (_OTHER_SALT if "SALT" in one.text else "") for one in self.kernels)
        functions = "".join(f"{one.function}\n" for one in self.launches if one.function)
        calls = "".join(f'  reset();\n  {one.text}\n  report("{one.kernel}", {one.number});\n' for one in self.launches)
        support = "\n".join(needed(made + functions + calls + " Par "))
        return f"{_HEAD}{support}\n{made}{_MAIN}{functions}{_START}{calls}  if (dump) fclose(dump);\n  return 0;\n}}\n"

    def only(self, kernels: set[str], numbers: set[int] | None = None) -> Program:
        """With some kernels alone, and perhaps some of their launches."""
        launches = tuple(
            one for one in self.launches if one.kernel in kernels and (numbers is None or one.number in numbers)
        )
        return replace(self, kernels=tuple(one for one in self.kernels if one.name in kernels), launches=launches)


def program(
    seed: int, kernels: int = 10, launches: int = 3, avoid: tuple[str, ...] = EMULATOR, floats: float = FLOATS
) -> Program:
    """The program of a seed; forms with the words of `avoid` are left out, so many kernels have floating point."""
    rng = random.Random(seed)
    made = tuple(kernel(rng, f"k{number}", avoid=avoid, floats=floats) for number in range(kernels))
    calls = tuple(launch(rng, one, number) for one in made for number in range(launches))
    return Program(seed, made, calls)
