"""What calling a function of CUDA's or of the C library does beside giving a value, by its name and parameters."""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import intrinsics, libclang, types
from gpuopt_driver.frontend.libclang import Cursor

_FOLLOWED = frozenset({"cub", "thrust", "cuda", "cooperative_groups", "nvcuda"})  # namespaces of what may do anything
_OUTSIDE = frozenset(
    {"printf", "puts", "putchar", "vprintf"}
    | intrinsics.ALLOCATION
    | intrinsics.ASSERTIONS
    | intrinsics.HARMLESS  # for a model of values: they stop, wait or trap
    | intrinsics.CLOCKS
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """Arguments (by number) through which it reads and writes, or why that is not known (`unknown`)."""

    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    unknown: str = ""
    meets: bool = False  # a barrier of the block: memory may hold what other threads wrote


def foreign(reference: Cursor, name: str, qualified: str) -> Foreign:
    """What a call of this function does to what its arguments point or refer to."""
    if name in intrinsics.BLOCK_BARRIERS:
        return Foreign(meets=True)
    waits = name in intrinsics.FENCES or intrinsics.OTHER_WAITS.match(name) or intrinsics.WARP_OPERATIONS.match(name)
    if waits:
        return Foreign(unknown=f"{name} meets other threads")
    if name in _OUTSIDE or (intrinsics.NOT_UNIFORM.match(name) and not name.startswith("curand")):
        return Foreign(unknown=f"{name} does more than give a value")
    if name in intrinsics.GROUP_MAKERS or qualified.split("::", maxsplit=1)[0] in _FOLLOWED:
        return Foreign(unknown=f"{qualified} may do more than give a value")
    if name in intrinsics.LOADS:
        is_volatile = name in intrinsics.VOLATILE_LOADS
        return Foreign(unknown=f"{name} is a volatile load") if is_volatile else Foreign(reads=(0,))
    if name in intrinsics.STORES:
        return Foreign(writes=(0,))
    if intrinsics.ATOMICS.match(name) or name in intrinsics.ATOMIC_LOADS:
        return Foreign(unknown=f"{name} is atomic")
    if name in intrinsics.COPIES:
        return Foreign(reads=(1,), writes=(0,)) if name not in intrinsics.FILLS else Foreign(writes=(0,))
    if intrinsics.TEXTURES.match(name) and name.endswith("write"):
        return Foreign(unknown=f"{name} writes to a surface")
    return _by_parameters(reference)


def _by_parameters(reference: Cursor) -> Foreign:
    """A function that depends on its arguments alone: it may write through what is not const."""
    lib = libclang.library()
    reads: list[int] = []
    writes: list[int] = []
    for at in range(lib.clang_Cursor_getNumArguments(reference)):
        type_ = types.canonical(lib.clang_getCursorType(lib.clang_Cursor_getArgument(reference, at)))
        if types.is_pointer(type_) or types.is_reference(type_):
            reads.append(at)
            if not types.is_const(types.pointee(type_)):
                writes.append(at)
    return Foreign(tuple(reads), tuple(writes))
