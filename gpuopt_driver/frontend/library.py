"""CUDA's own functions and the C library's in the symbolic run, known by name."""

from __future__ import annotations

import re

from gpuopt_driver.frontend import calm, intrinsics, libclang, types
from gpuopt_driver.frontend.conversions import as_typed
from gpuopt_driver.frontend.effects import Body, qualified_name
from gpuopt_driver.frontend.expr import op
from gpuopt_driver.frontend.fragments import BUILTINS
from gpuopt_driver.frontend.groups import GroupMachine
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.memory import Location, Memory, Temporary
from gpuopt_driver.frontend.model import Array, Space, SyncKind
from gpuopt_driver.frontend.options import DECLARATIONS
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.frontend.values import Int, Opaque, Pointer, Record, Target, Value, integer, uniform

_NUMBERS = re.compile(r"__(half|nv_bfloat16)2?::operator")  # classes that are numbers, as we declare them

_QUERIES = re.compile(r"(__is[A-Z]|__cvta_|__nv_associate|printf|assert|free$)")  # they read nothing there
_FOLLOWED = ("cub", "thrust", "cuda")  # namespaces of what may do anything


class LibraryMachine(GroupMachine):
    """Calls of functions that the project does not define."""

    def foreign_call(  # noqa: PLR0911 - one branch per kind
        self, node: Node, reference: Cursor, name: str, arguments: list[Node], receiver: Node | None
    ) -> Value | Location | None:
        """A function of CUDA or of the C library; None if it is not known."""
        if receiver is not None and _is_declared_by_us(self, reference) and _NUMBERS.match(qualified_name(reference)):
            return self._number(node, name, arguments, receiver)
        if receiver is not None or name in intrinsics.GROUP_MAKERS or name in ("sync", "tiled_partition", "reduce"):
            found = self.group_call(node, name, arguments, receiver)
            if found is not None:
                return found
        if name in intrinsics.BLOCK_BARRIERS:
            for argument in arguments:
                self.value(argument)
            self.sync(SyncKind.BLOCK, node)
            self.note_known(node, name)
            return self.unknown(node.type, self.label(node), uniform=True)
        if name in intrinsics.FENCES:
            self.sync(SyncKind.FENCE, node)
            self.note_known(node, name)
            return Opaque(True)
        if intrinsics.OTHER_WAITS.match(name):
            return self.unknown_result(node, name, [self.value(argument) for argument in arguments])
        if intrinsics.WARP_OPERATIONS.match(name):
            for argument in arguments:
                self.hand_out(argument, self.value(argument))
            there = name == "__activemask" or (bool(arguments) and self.text(arguments[0]) == "__activemask()")
            self.sync(SyncKind.WARP, node, waits=not there)
            self.note_known(node, name)
            return self.unknown(node.type, self.label(node), uniform=False)
        if name in intrinsics.LOADS and arguments:
            location = self._pointed(arguments[0])
            self.note_known(node, name)
            if name in intrinsics.VOLATILE_LOADS and isinstance(location, Memory):
                self.access(location, node, read=True, volatile=True)
                return self.unknown(node.type, self.label(node), uniform=False)
            return self.load(location, node)
        if name in intrinsics.STORES and arguments:
            location = self._pointed(arguments[0])
            value = self.value(arguments[1]) if len(arguments) > 1 else Opaque(False)
            self.note_known(node, name)
            self.store(location, value, node)
            return Opaque(True)
        if intrinsics.ATOMICS.match(name) or name in intrinsics.ATOMIC_LOADS:
            return self._atomic(node, name, arguments)
        if intrinsics.TEXTURES.match(name):
            return self._texture(node, name, arguments)
        return self._library(node, reference, name, arguments, receiver)

    def hand_out(self, argument: Node, value: Value) -> None:
        """Something that is not modelled may write where an argument points to."""
        self.clobber(value)
        inner = types.pointee(argument.type) if types.is_pointer(argument.type) else None
        if inner is None or types.is_const(inner) or not isinstance(value, Pointer):
            return
        if not (value.is_null or isinstance(value.base, Target)):
            somewhere = self.fresh(self.label(argument, "written"), False)
            self.access(Memory(value.base, somewhere, inner), argument, read=True, write=True, copied=True)

    def _pointed(self, argument: Node) -> Location:
        value = self.value(argument)
        target = types.pointee(argument.type) if types.is_pointer(argument.type) else argument.type
        return self.dereference(value, target, argument)

    def _atomic(self, node: Node, name: str, arguments: list[Node]) -> Value:
        location = self._pointed(arguments[0]) if arguments else Temporary(Opaque(False))
        for argument in arguments[1:]:
            self.value(argument)
        self.note_known(node, name)
        order = arguments[1 if name in intrinsics.ATOMIC_LOADS else 2 :][:1] if name.startswith("__nv_atomic") else []
        if any(one.constant != 0 for one in order):  # not __NV_ATOMIC_RELAXED: it may acquire or release
            self.sync(SyncKind.FENCE, node)
        result = self.unknown(node.type, self.label(node), uniform=False)
        if isinstance(location, Memory):
            writes = name not in intrinsics.ATOMIC_LOADS
            self.access(location, node, read=True, write=writes, atomic=True)
        elif isinstance(location, Target):
            self.assign(location, self.unknown(node.type, self.label(node, "atomic"), uniform=False))
        return result

    def _texture(self, node: Node, name: str, arguments: list[Node]) -> Value:
        known = True
        for argument in arguments:
            value = self.value(argument)
            known = uniform(value) and known
            self.hand_out(argument, value)
        text = self.text(arguments[0]) if arguments else name
        size = types.size_of(node.type)
        array = Array(text, Space.TEXTURE, types.plain_name(node.type), size)
        writes = name.endswith("write")
        location = Memory(array, self.fresh(self.label(node, name), known), node.type)
        self.access(location, node, read=not writes, write=writes)
        self.note_known(node, name)
        return self.unknown(node.type, self.label(node), uniform=known and not writes and name.startswith("tex"))

    def _library(
        self, node: Node, reference: Cursor, name: str, arguments: list[Node], receiver: Node | None
    ) -> Value | Location | None:
        if name in ("printf", "puts", "putchar", "vprintf"):
            self.facts.special.add("printf")
        elif name in intrinsics.ALLOCATION:
            self.facts.special.add("malloc")
        elif name in intrinsics.ASSERTIONS:
            self.facts.special.add("assert")
        elif name in intrinsics.CLOCKS:
            self.facts.special.add("clock")
            self.note_known(node, name)
            return self.unknown(node.type, self.label(node), uniform=False)
        if name in intrinsics.COPIES:
            return self._copy(node, name, arguments)
        if receiver is not None:
            return None
        changed = {at: self.location(arguments[at]) for at in calm.changed_arguments(reference) if at < len(arguments)}
        values = [
            self.load(changed[at], argument) if at in changed else self.value(argument)
            for at, argument in enumerate(arguments)
        ]
        plain = self._arithmetic(node, name, values)
        if plain is not None:
            self.note_known(node, name)
            return plain
        if self._just_computes(reference):
            result = self._pure(node, name, arguments, values)
        else:
            result = self.unknown_result(node, name, values)
        for at, location in changed.items():
            after = self.unknown(arguments[at].type, self.label(arguments[at], "changed"), uniform=False)
            self.store(location, after, arguments[at])
        return result

    def _just_computes(self, reference: Cursor) -> bool:
        """Whether a library function does nothing but compute, and change what its arguments point or refer to."""
        body = self.body_of(reference)
        if body is not None and body.block is not None and not _is_short(body):
            return calm.is_calm(reference, self.body_of)
        foreign = qualified_name(reference).split("::")[0] in _FOLLOWED
        return _is_declared_by_us(self, reference) or not foreign or calm.is_calm(reference, self.body_of)

    def _number(self, node: Node, name: str, arguments: list[Node], receiver: Node) -> Value | Location:
        """An operator of a number that is a class (`__half`): it converts its object, or changes it."""
        if not arguments:
            known = uniform(self.value(receiver))
            self.note_known(node, name)
            return self.unknown(node.type, self.label(node), uniform=known)
        location = self.location(receiver)
        values = [self.value(argument) for argument in arguments]
        known = all(uniform(value) for value in values)
        if isinstance(location, Memory):
            self.access(location, receiver, read=True, write=True)
        else:
            known = uniform(self.load(location, receiver)) and known
            self.store(location, Record({}, known), receiver)
        self.note_known(node, name)
        return location

    def _pure(self, node: Node, name: str, arguments: list[Node], values: list[Value]) -> Value:
        """A library function: its result depends on its arguments; it may write through its pointers."""
        known = all(uniform(value) for value in values) and not intrinsics.NOT_UNIFORM.match(name)
        known = known and name not in intrinsics.ALLOCATION
        for argument, value in zip(arguments, values, strict=True):
            if isinstance(value, Pointer) and types.is_pointer(argument.type):
                inner = types.pointee(argument.type)
                if isinstance(value.base, Target):
                    self.clobber(value, known)
                elif not (value.is_null or _QUERIES.match(name)):
                    writes = not types.is_const(inner)
                    offset = (
                        value.offset
                        if types.size_of(inner) > 0 and writes
                        else self.fresh(self.label(argument, name), False)
                    )
                    memory = Memory(value.base, offset, inner)
                    self.access(memory, argument, read=True, write=writes, copied=True)
                    known = False
        self.note_known(node, name)
        return self.unknown(node.type, self.label(node), uniform=known)

    def _copy(self, node: Node, name: str, arguments: list[Node]) -> Value:
        values = [self.value(argument) for argument in arguments]
        self.note_known(node, name)
        for at, (argument, value) in enumerate(zip(arguments[:2], values[:2], strict=False)):
            if not isinstance(value, Pointer) or (name in intrinsics.FILLS and at == 1):
                continue
            if isinstance(value.base, Target):
                if at == 0:
                    self.clobber(value)
                continue
            if value.base is not None or name != "memcpy_async":
                inner = types.pointee(argument.type) if types.is_pointer(argument.type) else argument.type
                somewhere = self.fresh(self.label(argument, name), False)
                self.access(Memory(value.base, somewhere, inner), argument, read=at == 1, write=at == 0, copied=True)
        return values[0] if values and name != "memcpy_async" else Opaque(False)

    def _arithmetic(self, node: Node, name: str, values: list[Value]) -> Value | None:
        """Integer functions that expressions can say."""
        if not values or not all(isinstance(value, Int) for value in values):
            return None
        parts = [value.expr for value in values if isinstance(value, Int)]
        if name in intrinsics.PRODUCTS and len(parts) == 2:
            return integer(op("*", *parts))
        if name in intrinsics.MINIMA and len(parts) == 2:
            return integer(op("min", *(as_typed(part, node.type) for part in parts)))
        if name in intrinsics.MAXIMA and len(parts) == 2:
            return integer(op("max", *(as_typed(part, node.type) for part in parts)))
        if name in intrinsics.ABSOLUTES and len(parts) == 1:
            part = as_typed(parts[0], node.type)
            return integer(op("max", part, op("neg", part)))
        return None


def _is_declared_by_us(machine: LibraryMachine, reference: Cursor) -> bool:
    file, _offset = libclang.file_location(machine.lib.clang_getCursorLocation(reference))
    return not file or machine.translation.path(file).startswith(str(DECLARATIONS))


def _is_short(body: Body) -> bool:
    """Whether a library function just computes: no calls, loops or assembly, nor which thread runs."""
    return all(
        node.kind not in (K.CALL, K.FOR, K.WHILE, K.DO, K.ASM)
        and not (node.kind == K.DECL_REF and node.name in BUILTINS)
        for node in body.root.walk()
    )
