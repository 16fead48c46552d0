"""Cooperative groups in the symbolic run: what they synchronise, and the ranks that they give to threads."""

from __future__ import annotations

from gpuopt_driver.frontend import intrinsics, types
from gpuopt_driver.frontend.effects import EffectMachine
from gpuopt_driver.frontend.expr import Const, Expr, op
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
            self.sync(kind, node)
            return self.unknown(node.type, self.label(node), uniform=False)
        if name in intrinsics.GROUP_FREE_COLLECTIVES:
            for value in values:
                self.clobber(value)
            self.sync(kind, node)
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
            block = _linear("blockIdx", "gridDim")
            if name == "thread_rank":
                return integer(op("+", op("*", block, count), rank))
            if name == "block_rank":
                return integer(block)
            if name in ("size", "num_threads", "num_blocks", "dim_blocks"):
                self.facts.special.add("gridDim")
        known = name in ("size", "num_threads", "num_blocks", "is_valid") and group.kind in ("grid", "block", "cluster")
        return self.unknown(node.type, self.label(node), uniform=known)


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
