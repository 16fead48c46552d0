"""Cooperative groups in the symbolic run: what they synchronise, and the ranks that they give to threads."""

from __future__ import annotations

from gpuopt_driver.frontend import intrinsics, types
from gpuopt_driver.frontend.effects import EffectMachine
from gpuopt_driver.frontend.expr import Const, Expr, op
from gpuopt_driver.frontend.fragments import BUILTINS
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.model import SyncKind
from gpuopt_driver.frontend.places import builtin, operands
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.frontend.values import Group, Int, Record, Value, integer


class GroupMachine(EffectMachine):
    """Calls of cooperative groups."""

    def group_call(self, node: Node, name: str, arguments: list[Node], receiver: Node | None) -> Value | None:
        """A call of a group's function; None if it is none."""
        if name in intrinsics.GROUP_MAKERS:
            for argument in arguments:
                self.value(argument)
            self.note_known(node, name)
            if name in intrinsics.GROUP_PARTS:
                self.sync(SyncKind.WARP, node)
            return Group(intrinsics.GROUP_MAKERS[name])
        first = self.value(receiver) if receiver is not None else None
        if first is None and arguments:
            first = self.value(arguments[0])
            arguments = arguments[1:]
        if name == "tiled_partition":
            return self._tile(node, arguments)
        if not isinstance(first, Group):
            speaker = receiver if receiver is not None else (operands(node)[1:] or [node])[0]
            first = group_of_type(types.spelled(types.canonical(speaker.type)))
        if first is None:
            return None
        values = [self.value(argument) for argument in arguments]
        kind = intrinsics.GROUP_KINDS.get(first.kind, SyncKind.UNKNOWN)
        if first.kind == "tile" and first.size > 32:
            kind = SyncKind.NAMED
        self.note_known(node, name)
        if name in intrinsics.GROUP_SYNCS or name in intrinsics.GROUP_COLLECTIVES:
            self.sync(kind, node, waits=first.kind != "coalesced")
            for argument in arguments[1:] if name == "match_all" else ():  # tells there whether all matched
                told = self.unknown(argument.type, self.label(argument, "written"), uniform=False)
                self.store(self.location(argument), told, argument)
            return self.unknown(node.type, self.label(node), uniform=False)
        if name in intrinsics.GROUP_FREE_COLLECTIVES:
            for value in values:
                self.clobber(value)
            self.sync(kind, node, waits=first.kind != "coalesced")
            return self.unknown(node.type, self.label(node), uniform=False)
        return self._group_query(node, name, first)

    def _tile(self, node: Node, arguments: list[Node]) -> Value:
        made = group_of_type(types.spelled(types.canonical(node.type)))
        size = made.size if made is not None else 0
        if not size and arguments:
            value = self.value(arguments[0])
            size = value.expr.value if isinstance(value, Int) and isinstance(value.expr, Const) else 0
        self.note_known(node, "tiled_partition")
        return Group("tile" if size else "unknown", size)

    def _group_query(self, node: Node, name: str, group: Group) -> Value:
        rank = _linear_thread()
        count = op("*", *(builtin("blockDim", axis) for axis in "xyz"))
        if group.kind == "block":
            table = {"group_index": "blockIdx", "thread_index": "threadIdx", "group_dim": "blockDim"}
            table["dim_threads"] = "blockDim"
            if name in table:
                return Record({axis: Int(builtin(table[name], axis)) for axis in "xyz"}, name != "thread_index")
            if name == "thread_rank":
                return integer(rank)
            if name in ("size", "num_threads"):
                return integer(count)
        if group.kind == "tile" and group.size:
            size = Const(group.size)
            answers = {
                "thread_rank": op("%", rank, size),
                "size": size,
                "num_threads": size,
                "meta_group_rank": op("/", rank, size),
                "meta_group_size": op("/", op("+", count, Const(group.size - 1)), size),
            }
            if name in answers:
                return integer(answers[name])
        if group.kind == "grid":
            if "gridDim" in _GRID.get(name, ()):
                self.facts.special.add("gridDim")
            block, blocks = _linear("blockIdx", "gridDim"), op("*", *(builtin("gridDim", axis) for axis in "xyz"))
            numbers = {
                "thread_rank": op("+", op("*", block, count), rank),
                "block_rank": block,
                "num_blocks": blocks,
                "size": op("*", blocks, count),
                "num_threads": op("*", blocks, count),
            }
            if name in numbers:
                return integer(numbers[name])
            axes = {"block_index": "blockIdx", "dim_blocks": "gridDim", "group_dim": "gridDim"}
            if name in axes:
                return Record({axis: Int(builtin(axes[name], axis)) for axis in "xyz"}, True)
        known = name in ("size", "num_threads", "num_blocks", "is_valid") and group.kind in ("grid", "block", "cluster")
        return self.unknown(node.type, self.label(node), uniform=known)


# What a group's members tell of, by kind of group: built-in variables under other names.
_BLOCK = {
    "group_index": ("blockIdx",),
    "thread_index": ("threadIdx",),
    "thread_rank": ("threadIdx", "blockDim"),
    **dict.fromkeys(("size", "num_threads", "group_dim", "dim_threads"), ("blockDim",)),
}
_GRID = {
    "thread_rank": ("threadIdx", "blockIdx", "blockDim", "gridDim"),
    "block_rank": ("blockIdx", "gridDim"),
    "block_index": ("blockIdx",),
    "size": ("blockDim", "gridDim"),
    "num_threads": ("blockDim", "gridDim"),
    **dict.fromkeys(("num_blocks", "dim_blocks", "group_dim"), ("gridDim",)),
}
_WARP: dict[str, tuple[str, ...]] = dict.fromkeys(("thread_rank", "meta_group_rank"), ("threadIdx", "blockDim"))
_CLUSTER = {
    "thread_rank": ("threadIdx", "blockIdx", "blockDim"),
    "block_rank": ("blockIdx", "gridDim"),
    "block_index": ("blockIdx",),
    **dict.fromkeys(("num_blocks", "dim_blocks"), ("gridDim",)),
}
_QUERIES: dict[str, dict[str, tuple[str, ...]]] = {
    "block": _BLOCK,
    "grid": _GRID,
    "tile": _WARP,
    "coalesced": _WARP,
    "cluster": _CLUSTER,
}
_RANKS = frozenset(name for table in _QUERIES.values() for name in table)


def queried(node: Node, called: Cursor) -> tuple[str, ...]:
    """The built-in variables that a call of a group's member tells of; all of them where the group is not known."""
    callee = node.children[0] if called.kind == K.CXX_METHOD and node.children else None
    while callee is not None and callee.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(callee.children) == 1:
        callee = callee.children[0]
    inner = operands(callee) if callee is not None and callee.kind == K.MEMBER_EXPR else []
    if callee is None or not inner or callee.name not in _RANKS:
        return ()
    group = _spoken_to(inner[0])
    if group is None:
        return ()
    table = _QUERIES.get(group.kind)
    return tuple(sorted(BUILTINS)) if table is None else table.get(callee.name, ())


def _spoken_to(node: Node) -> Group | None:
    """The group that an object is, also where it is seen as its base class."""
    type_ = types.canonical(node.type)
    found = group_of_type(types.spelled(types.canonical(types.pointee(type_)) if types.is_pointer(type_) else type_))
    wraps = node.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(node.children) == 1
    if wraps and found is not None and found.kind == "unknown":
        return _spoken_to(node.children[0])
    return found


def group_of_type(spelling: str) -> Group | None:
    """The cooperative group that a C++ type stands for."""
    name = spelling.removeprefix("const ").replace(" *", "").replace(" &", "")
    if "cooperative_groups::" not in name:
        return None
    name = name.split("cooperative_groups::", 1)[1]
    if name.startswith("thread_block_tile<"):
        digits = name.split("<", 1)[1].split(",")[0].strip(" uU>")
        return Group("tile", int(digits)) if digits.isdigit() else Group("unknown")
    return Group(intrinsics.GROUP_TYPES.get(name, "unknown"))


def _linear(index: str, extent: str) -> Expr:
    """x + y * extent.x + z * extent.x * extent.y."""
    x, y, z = (builtin(index, axis) for axis in "xyz")
    width, height = builtin(extent, "x"), builtin(extent, "y")
    return op("+", op("+", x, op("*", y, width)), op("*", z, op("*", width, height)))


def _linear_thread() -> Expr:
    return _linear("threadIdx", "blockDim")
