"""The marks between which the runtime stands in patched sources; light enough for the driver's start."""

from __future__ import annotations

CONFIG = (
    "struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, "
    "cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; "
)
_INLINE = "__attribute__((always_inline)) inline"
# A configuration that is evaluated in front of the launch's arguments, as nvcc evaluates it: it waits for them (they
# may launch kernels, and throw). One list for each thread and library: none of it is called across libraries.
ORDERED = (
    f'struct ordered; __attribute__((always_inline, visibility("hidden"))) inline ordered *&waiting() '
    "{ static __thread ordered *gpuopt_w; return gpuopt_w; } "
    f"struct ordered {{ config given; ordered *below; {_INLINE} ordered(dim3 gpuopt_g, dim3 gpuopt_b, "
    "size_t gpuopt_s = 0, cudaStream_t gpuopt_t = nullptr) : given(gpuopt_g, gpuopt_b, gpuopt_s, gpuopt_t), "
    "below(waiting()) { waiting() = this; } ordered(const ordered &); ordered &operator=(const ordered &); "
    f"{_INLINE} ~ordered() {{ waiting() = waiting() == this ? below : waiting(); }} }}; "
    f"{_INLINE} void first(const ordered &) {{}} {_INLINE} const config &taken() "
    "{ ordered *gpuopt_o = waiting(); waiting() = gpuopt_o->below; return gpuopt_o->given; } "
)
# How launch.h declares what is defined as text behind it.
# For -Wunused-macros: what a source needs of the runtime may be without members.
USED = "#if defined GPUOPT_RT_API && defined GPUOPT_RT_MEMBER && defined GPUOPT_RT_UNIT\n#endif\n"
AS_TEXT = f"#define GPUOPT_RT_API static\n#define GPUOPT_RT_MEMBER inline\n#define GPUOPT_RT_UNIT static\n{USED}"
PREFIX = "gpuopt_m_"  # of names that the program has macros of (names.py)
BEGIN = "// What launch.h declares.\n"
END = "// Behind what launch.h declares.\n"


def has_runtime(data: bytes) -> bool:
    """Whether the runtime stands in a patched source."""
    return BEGIN.encode() in data


def declared_only(data: bytes) -> bytes:
    """A patched source with the runtime's declarations alone: what else stands there must be content with these."""
    begin, end = data.find(BEGIN.encode()), data.find(END.encode())
    return data[:begin] + data[end:] if 0 <= begin < end else data
