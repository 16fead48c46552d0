"""What CUDA's own functions mean to the model, by name."""

from __future__ import annotations

import re

from gpuopt_driver.frontend.model import SyncKind

BLOCK_BARRIERS = frozenset({"__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"})
FENCES = frozenset({"__threadfence", "__threadfence_block", "__threadfence_system", "__pipeline_commit"})
OTHER_WAITS = re.compile(  # for named barriers, the blocks of a cluster, copies, other grids
    r"__barrier_sync(_count)?$|__(cluster_|nvvm_)?(m?barrier|bar)_|cuda(GridDependency|Device|Stream)Synchronize$"
    r"|cudaTriggerProgrammaticLaunchCompletion$"
)
WARP_OPERATIONS = re.compile(
    r"__(syncwarp|activemask|(all|any|uni|ballot)(_sync)?|match_(any|all)_sync|shfl(_up|_down|_xor)?(_sync)?"
    r"|reduce_(add|min|max|and|or|xor)_sync)$"
)
LOADS = frozenset({"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"})
VOLATILE_LOADS = frozenset({"__ldcv"})
STORES = frozenset({"__stwb", "__stcg", "__stcs", "__stwt"})
ATOMICS = re.compile(
    r"atomic(Add|Sub|Exch|Min|Max|Inc|Dec|And|Or|Xor|CAS)(_block|_system)?$|__nv_atomic_(fetch_\w+|store_n|exchange_n)$"
)
ATOMIC_LOADS = frozenset({"__nv_atomic_load_n"})
TEXTURES = re.compile(r"(tex(1D|2D|3D|Cubemap)\w*|surf(1D|2D|3D)\w*)$")
CLOCKS = frozenset({"clock", "clock64", "__nvvm_read_ptx_sreg_clock", "globaltimer"})
ALLOCATION = frozenset({"malloc", "free", "calloc", "__nv_aligned_device_malloc"})
ASSERTIONS = frozenset({"assert", "__assert_fail", "__assertfail"})
_COPIES = ("memcpy", "memmove", "memset")
COPIES = frozenset({*_COPIES, *(f"__builtin_{name}" for name in _COPIES), "memcpy_async"})
FILLS = frozenset({"memset", "__builtin_memset"})
PRODUCTS = frozenset({"__mul24", "__umul24", "mul24", "umul24"})
MINIMA = frozenset({"min", "umin", "llmin", "ullmin"})
MAXIMA = frozenset({"max", "umax", "llmax", "ullmax"})
ABSOLUTES = frozenset({"abs", "labs", "llabs"})
NOT_UNIFORM = re.compile(r"(curand|__nv_atomic|__pm|__nanosleep)")
HARMLESS = frozenset({"__nanosleep", "__trap", "__brkpt", "__prof_trigger", "exit", "abort"})

BLOCK_RESULTS = frozenset({"__syncthreads_count", "__syncthreads_and", "__syncthreads_or"})

_ASM_BLOCK = re.compile(r"\b(bar|barrier)(\.cta)?\.(sync|red|arrive|cta)")
_ASM_WARP = re.compile(r"\b(shfl|vote|match|redux|activemask|ldmatrix|mma|wmma|elect)\b|bar\.warp")
_ASM_FENCE = re.compile(r"\b(membar|fence)\b")
_ASM_CLUSTER = re.compile(r"\bbarrier\.cluster\b")
_ASM_NAMED = re.compile(r"\b(mbarrier|cp\.async|wgmma|griddepcontrol|setmaxnreg)\b")
_ASM_MEMORY = re.compile(r"\b(ld|st|atom|red|prefetch|cp|call|tex|suld|sust)\b\.?")
ASM_SPECIAL = (
    (re.compile(r"%(smid|nsmid|warpid|nwarpid|gridid|ctaid)"), "smid"),
    (re.compile(r"%(clock|globaltimer)"), "clock"),
    (re.compile(r"\b(exit|ret)\b"), "exit"),  # ends the thread
)


_ASM_OPENING = re.compile(r"(asm|__asm|__asm__)\b(\s|\bvolatile\b|\b__volatile(__)?\b|\bgoto\b|\binline\b)*\(")
_ASM_LITERALS = re.compile(r'(\s|"(?:[^"\\\n]|\\.)*")+')
_ASM_REGISTER = re.compile(r"%+[A-Za-z_]")


def assembly_may_read_registers(text: str) -> bool:
    """Whether inline PTX may read a special register (`%%tid.x`): it names one, or a macro writes some of its text."""
    opening = _ASM_OPENING.match(text)
    literals = _ASM_LITERALS.match(text, opening.end()) if opening else None
    if literals is None or text[literals.end() : literals.end() + 1] not in (":", ")"):
        return True
    return bool(_ASM_REGISTER.search(literals.group()))


def assembly_sync(text: str) -> SyncKind | None:
    """How inline PTX synchronises, None if it does not."""
    for pattern, kind in (
        (_ASM_CLUSTER, SyncKind.CLUSTER),
        (_ASM_WARP, SyncKind.WARP),
        (_ASM_BLOCK, SyncKind.NAMED),
        (_ASM_NAMED, SyncKind.UNKNOWN),
        (_ASM_FENCE, SyncKind.FENCE),
    ):
        if pattern.search(text):
            return kind
    return None


def assembly_touches_memory(text: str) -> bool:
    """Whether inline PTX may load or store."""
    return bool(_ASM_MEMORY.search(text))


GROUP_KINDS = {
    "block": SyncKind.BLOCK,
    "tile": SyncKind.WARP,
    "coalesced": SyncKind.WARP,
    "grid": SyncKind.GRID,
    "multi_grid": SyncKind.GRID,
    "cluster": SyncKind.CLUSTER,
    "thread": SyncKind.FENCE,
}
GROUP_MAKERS = {
    "this_thread_block": "block",
    "this_grid": "grid",
    "this_multi_grid": "multi_grid",
    "coalesced_threads": "coalesced",
    "this_cluster": "cluster",
    "this_thread": "thread",
    "labeled_partition": "coalesced",
    "binary_partition": "coalesced",
}
GROUP_PARTS = frozenset({"labeled_partition", "binary_partition"})  # what the threads of the group make together
GROUP_TYPES = {
    "thread_block": "block",
    "grid_group": "grid",
    "multi_grid_group": "multi_grid",
    "coalesced_group": "coalesced",
    "cluster_group": "cluster",
}
GROUP_SYNCS = frozenset({"sync", "barrier_arrive", "barrier_wait", "arrive", "wait"})
GROUP_COLLECTIVES = frozenset(
    {"shfl", "shfl_up", "shfl_down", "shfl_xor", "any", "all", "ballot", "match_any", "match_all"}
)
GROUP_FREE_COLLECTIVES = frozenset({"reduce", "inclusive_scan", "exclusive_scan", "wait", "wait_prior", "invoke_one"})
