"""PTX that works on memory or on several threads: accesses, atomics, barriers, warp operations, asynchronous copies."""

from __future__ import annotations

from collections.abc import Callable

from gpuopt_driver.emulator.ptx_instructions import TYPES, Instruction, N, Rule, Unknown

MEMORY: dict[str, Rule] = {}
_HERE = "::gpuopt_emu::"
_AGAIN = ("cv", "volatile", "acquire", "relaxed", "mmio", "sc")
_REDUCTIONS = ("add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas")


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def add(rule: Rule) -> Rule:
        MEMORY.update(dict.fromkeys(names, rule))
        return rule

    return add


def _nothing(_: Instruction) -> str:
    return "(void)0"


# Hints, and what has no effect where everything is done at once.
MEMORY.update(
    dict.fromkeys(
        (
            "prefetch",
            "prefetchu",
            "discard",
            "applypriority",
            "griddepcontrol",
            "setmaxnreg",
            "pmevent",
            "brkpt",
            "createpolicy",
        ),
        _nothing,
    )
)


# Loads with these modifiers have functions of their own in ptx.h, by whose lines the model knows them.
_HINTED = {name: f"load_{name}" for name in ("cg", "cs", "lu", "nc")}
_HINTED |= {f"L1::{name}": f"load_{name}" for name in ("no_allocate", "evict_first", "evict_last")}


def _width(i: Instruction) -> int:
    """Of a vector access: 1, 2, 4 or 8 elements."""
    return next((int(item[1:]) for item in i.modifiers if item in ("v2", "v4", "v8")), 1)


@_rule("ld", "ldu")
def _load(i: Instruction) -> str:
    function = "load_again" if i.has(*_AGAIN) else _HINTED.get(next(filter(_HINTED.get, i.modifiers), ""), "load")
    width = _width(i)
    if width == 1:
        return i.result(f"{N}{function}<{TYPES[i.kind]}>({i.address(1)})")
    targets = i.operands[0].strip("{} ").split(",")
    if len(targets) != width:
        raise Unknown
    code = f"const auto gpuopt_v={N}{function}<{N}Vector<{TYPES[i.kind]},{width}>>({i.address(1)});"
    return code + ";".join(i.put(target.strip(), f"gpuopt_v.part[{at}]") for at, target in enumerate(targets))


@_rule("st")
def _store(i: Instruction) -> str:
    width = _width(i)
    again = "true" if i.has("release", *_AGAIN) else "false"
    if width == 1:
        return f"{N}store<{TYPES[i.kind]},{again}>({i.address(0)},{i.value(1, i.kind)})"
    sources = [part.strip() for part in i.operands[1].strip("{} ").split(",")]
    if len(sources) != width:
        raise Unknown
    values = ",".join(f"{N}as<{TYPES[i.kind]}>({i.raw(source)})" for source in sources)
    vector = f"{N}Vector<{TYPES[i.kind]},{width}>"
    return f"{N}store<{vector},{again}>({i.address(0)},{vector}{{{{{values}}}}})"


@_rule("atom", "red")
def _atomic(i: Instruction) -> str:
    operation = next(item for item in (*i.modifiers, "") if item in (*_REDUCTIONS, ""))
    kind = i.kind
    if not operation or _width(i) > 1:
        raise Unknown
    first = 1 if i.name == "atom" else 0
    values = ",".join(i.value(at, kind) for at in range(first + 1, len(i.operands)))
    call = f"{N}atom_{operation}<{TYPES[kind]}>({i.address(first)},{values})"
    return i.result(call) if i.name == "atom" else f"(void){call}"


@_rule("membar", "fence")
def _fence(_: Instruction) -> str:
    return "__threadfence()"


@_rule("bar", "barrier")
def _barrier(i: Instruction) -> str:
    if i.has("warp"):
        return f"__syncwarp({i.value(0, 'b32')})"
    if i.has("cluster"):
        return "::gpuopt_emu::cluster_barrier()" if i.has("wait") else "(void)0"
    if i.has("red"):
        votes = {"popc": "count", "and": "and", "or": "or"}
        how = next((votes[item] for item in i.modifiers if item in votes), "")
        if len(i.operands) not in (3, 4) or not how:
            raise Unknown
        threads = i.value(2, "u32") if len(i.operands) == 4 else "0"
        predicate = i.value(len(i.operands) - 1, "pred")
        return i.result(f"{_HERE}named_barrier_{how}({i.value(1, 'u32')},{threads},{predicate})")
    if not i.has("sync", "arrive") or not i.operands:
        raise Unknown
    threads = i.value(1, "u32") if len(i.operands) > 1 else "0"
    return f"{_HERE}named_barrier({i.value(0, 'u32')},{threads},{'true' if i.has('sync') else 'false'})"


@_rule("nanosleep", "trap", "exit")
def _stop(i: Instruction) -> str:
    if i.name == "exit":
        raise Unknown
    return "__trap()" if i.name == "trap" else f"__nanosleep({i.value(0, 'u32')})"


_SHUFFLES = {"up": "up", "down": "down", "bfly": "exclusive_or", "idx": "index"}


@_rule("shfl")
def _shuffle(i: Instruction) -> str:
    how = next(_SHUFFLES[item] for item in i.modifiers if item in _SHUFFLES)
    mask = i.value(4, "b32") if i.has("sync") else "0u"
    values = ",".join(i.value(at, "b32") for at in range(1, 4))
    return i.both(f"{N}shfl({_HERE}Shuffle::{how},{mask},{values},{i.site})")


@_rule("vote")
def _vote(i: Instruction) -> str:
    mask = i.value(2, "b32") if i.has("sync") else "0u"
    how = next(item for item in i.modifiers if item in ("all", "any", "uni", "ballot"))
    return i.result(f"{N}vote_{how}({mask},{i.value(1, 'pred')},{i.site})")


@_rule("match", "elect", "activemask")
def _who(i: Instruction) -> str:
    if i.name == "activemask":
        return i.result(f"{_HERE}activemask_at<{i.site}>()")
    if i.name == "elect":
        return i.both(f"{N}elect({i.value(1, 'b32')})")
    mask = i.value(2, "b32")
    if i.has("any"):
        return i.result(f"__match_any_sync({mask},{i.value(1, i.modifiers[-1])})")
    return i.both(f"{N}match_all({mask},{i.value(1, i.modifiers[-1])})")


@_rule("redux")
def _redux(i: Instruction) -> str:
    operation = next(item for item in i.modifiers if item in _REDUCTIONS)
    return i.result(f"__reduce_{operation}_sync({i.value(2, 'b32')},{i.value(1, i.kind.replace('b', 'u'))})")


@_rule("isspacep")
def _space(i: Instruction) -> str:
    function = {"shared": "__isShared", "global": "__isGlobal", "local": "__isLocal", "const": "__isConstant"}
    space = i.modifiers[-1].split("::")[0]
    return i.result(f"{function[space]}((const void*){i.value(1, 'u64')})")


@_rule("cp")
def _copy(i: Instruction) -> str:
    if not i.modifiers or i.modifiers[0] != "async" or i.has("tensor", "mbarrier", "reduce", "multicast::cluster"):
        raise Unknown
    if i.has("commit_group", "wait_group", "wait_all"):
        return "(void)0"  # copies are made at once
    if i.has("bulk"):
        return _bulk_copy(i)
    i.need(4 if len(i.operands) == 4 else 3)
    destination = f"{N}shared_address({_base(i, 0)})"
    source = f"{N}address({_base(i, 1)})"
    bytes_ = i.value(2, "u32")
    return f"{N}copy({destination},{source},{bytes_},{i.value(3, 'u32') if len(i.operands) == 4 else bytes_})"


def _bulk_copy(i: Instruction) -> str:
    """Between global and shared memory, or from one block's shared memory to another's of the cluster: at once.

    The copy stands in the program's own line, which check mode reports.
    """
    spaces = [item.split("::")[0] for item in i.modifiers if item.split("::")[0] in ("shared", "global")]
    hint = 1 if i.has("L2::cache_hint") else 0
    counts = i.has("mbarrier::complete_tx::bytes")
    if len(spaces) != 2 or counts == i.has("bulk_group"):
        raise Unknown
    i.need(3 + counts + hint)
    ends = [f"{N}{'shared_' if space == 'shared' else ''}address({_base(i, at)})" for at, space in enumerate(spaces)]
    code = (
        f"char*const gpuopt_to={ends[0]};const char*const gpuopt_from={ends[1]};"
        f"const unsigned gpuopt_n={i.value(2, 'u32')};"
        f"for(unsigned gpuopt_i=0;gpuopt_i<gpuopt_n;gpuopt_i+=8)"
        f"{N}store<unsigned long long,false>(gpuopt_to+gpuopt_i,{N}load<unsigned long long>(gpuopt_from+gpuopt_i))"
    )
    return f"{code};{N}mbarrier_bytes({N}shared_address({_base(i, 3)}),-(long long)gpuopt_n)" if counts else code


def _base(i: Instruction, index: int) -> str:
    """Register and offset of a memory operand, to be called with."""
    inner = i.address(index)
    return inner[inner.index("(") + 1 : -1]


@_rule("mbarrier")
def _mbarrier(i: Instruction) -> str:
    name = i.modifiers[0] if i.modifiers else ""
    if name == "init":
        return f"{N}mbarrier_init({i.address(0)},{i.value(1, 'u32')})"
    if name == "inval":
        return "(void)0"
    if name in ("expect_tx", "complete_tx"):
        i.need(2)
        return f"{N}mbarrier_bytes({i.address(0)},{'-' if name == 'complete_tx' else ''}(long long){i.value(1, 'u32')})"
    if name == "arrive" and not i.has("noComplete"):
        target, address = ("_", 0) if i.operands[0].startswith("[") else (i.operands[0], 1)
        count = i.value(address + 1, "u32") if len(i.operands) > address + 1 else "1"
        arrivals = f"1,{count}" if i.has("expect_tx") else count
        return i.put(target, f"{N}mbarrier_arrive({i.address(address)},{arrivals})")
    if name in ("test_wait", "try_wait"):
        parity = "true" if i.has("parity") else "false"
        return i.result(f"{N}mbarrier_test({i.address(1)},{i.value(2, 'u64')},{parity})")
    raise Unknown


@_rule("mapa")
def _mapa(i: Instruction) -> str:
    return i.result(f"{N}mapped({i.value(1, 'u64' if i.has('u64') else 'u32')},{i.value(2, 'u32')})")


@_rule("ldmatrix")
def _ldmatrix(i: Instruction) -> str:
    if not i.has("m8n8") or i.modifiers[-1] != "b16":
        raise Unknown
    count = next(int(item[1:]) for item in i.modifiers if item in ("x1", "x2", "x4"))
    targets = [part.strip() for part in i.operands[0].strip("{} ").split(",")]
    flag = "true" if i.has("trans") else "false"
    code = f"const auto gpuopt_v={N}ldmatrix<{count},{flag}>({i.address(1)});"
    return code + ";".join(i.put(target, f"gpuopt_v.part[{at}]") for at, target in enumerate(targets))


@_rule("mma")
def _mma(i: Instruction) -> str:
    shape = next(item for item in i.modifiers if item.startswith("m") and item[1:2].isdigit())
    kinds = [item for item in i.modifiers if item in TYPES]
    if len(kinds) != 4 or not i.has("row") or not i.has("col"):
        raise Unknown
    d, a, b, c = kinds
    rows, k = int(shape[1:].partition("n")[0]), int(shape.rpartition("k")[2])
    packs = [[part.strip() for part in text.strip("{} ").split(",")] for text in i.operands]
    if set(kinds) == {"f64"} and shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"):
        lists = ["{" + ",".join(i.raw(part) for part in pack) + "}" for pack in packs[1:]]
        product = f"mma<{rows},{k}>({N}Doubles{lists[0]},{N}Doubles{lists[1]},{N}Doubles{lists[2]})"
    elif "f64" in kinds or (shape not in ("m16n8k8", "m16n8k16", "m16n8k32") and (a, shape) != ("tf32", "m16n8k4")):
        raise Unknown
    else:
        lists = ["{" + ",".join(f"{N}as<unsigned>({i.raw(part)})" for part in pack) + "}" for pack in packs[1:]]
        saturate = ",true" if i.has("satfinite") else ""
        types = ",".join(TYPES[kind] for kind in (a, b, c, d))
        product = f"mma<{k},{types}>({N}Words{lists[0]},{N}Words{lists[1]},{N}Words{lists[2]}{saturate})"
    code = f"const auto gpuopt_v={N}{product};"
    return code + ";".join(i.put(target, f"gpuopt_v.part[{at}]") for at, target in enumerate(packs[0]))
