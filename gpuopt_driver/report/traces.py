"""Traces of the emulator in our own format: what each warp did, read back. docs/traces.md describes the bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError

_MAGIC = b"gpuopt-trace/1\n"
_BARRIER, _END, _FIRST_PLACE = 0, 1, 2
_MEMORIES = 32
_STRIDE, _DELTAS = 1, 2
_LANES_FOLLOW, _WORK_FOLLOWS, _ADDRESSES_FOLLOW = 4, 8, 16
_OFFSET_BYTES = 8
_LONGEST_LINE = 1 << 20  # bytes
_LONGEST_NUMBER = 70  # bits, in sevens


@dataclass(frozen=True, slots=True)
class Instruction:
    """A warp instruction: an access to memory, a barrier or the end; arithmetic is counted with what follows it."""

    opcode: str
    place: Mapping[str, Any]
    lanes: int
    before: int
    flops: int
    addresses: tuple[int, ...]


@dataclass(slots=True)
class _Known:
    place: int
    lanes: int = 0
    before: int = 0
    flops: int = 0
    first: int = 0
    moved: int = 0
    stride: int = 0


@dataclass(slots=True)
class _Bytes:
    data: bytes
    at: int = 0
    known: dict[int, _Known] = field(default_factory=dict)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > _LONGEST_NUMBER:
                raise IndexError

    def signed(self) -> int:
        value = self.number()
        return value >> 1 ^ -(value & 1)


@dataclass(frozen=True, slots=True)
class Trace:
    """One launch. `header`: kernel, gpu, grid, block and so on; `places`: its instructions that access memory."""

    path: Path
    header: Mapping[str, Any]
    places: tuple[Mapping[str, Any], ...]
    start: int
    end: int

    @property
    def warps_per_block(self) -> int:
        """Warps of a block, the last of which may have fewer than 32 threads."""
        x, y, z = self.header["block"]
        return int((x * y * z + 31) // 32)

    def warps(self) -> Iterator[Iterator[Instruction]]:
        """Every warp's instructions, block by block in ascending order, one warp in memory at a time."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            while file.tell() < self.end:
                size = shift = 0
                while True:
                    byte = (file.read(1) or b"\0")[0]
                    size |= (byte & 127) << shift
                    shift += 7
                    if byte < 128 or shift > _LONGEST_NUMBER:
                        break
                if size > self.end - file.tell():
                    raise GpuoptError(f"{self.path}: the trace is damaged: a warp ends behind all warps")
                yield self._instructions(_Bytes(file.read(size)))

    def _instructions(self, stream: _Bytes) -> Iterator[Instruction]:
        while stream.at < len(stream.data):
            try:
                instruction = self._next(stream)
            except IndexError as error:
                raise GpuoptError(f"{self.path}: the trace is damaged: an instruction is not whole") from error
            yield instruction

    def _next(self, stream: _Bytes) -> Instruction:
        flags, place = stream.byte(), stream.number()
        known = stream.known.get(place % _MEMORIES)
        if known is None or known.place != place:
            known = stream.known[place % _MEMORIES] = _Known(place)
        if flags & _LANES_FOLLOW:
            known.lanes = sum(stream.byte() << 8 * i for i in range(4))
        if flags & _WORK_FOLLOWS:
            known.before, known.flops = stream.number(), stream.number()
        if place < _FIRST_PLACE:
            opcode = "BAR.SYNC" if place == _BARRIER else "EXIT"
            return Instruction(opcode, {}, known.lanes, known.before, known.flops, ())
        form = flags & 3
        if flags & _ADDRESSES_FOLLOW:
            known.moved = stream.signed()
        known.first += known.moved
        if form == _STRIDE:
            known.stride = stream.signed()
        addresses = [known.first]
        for _ in range(bin(known.lanes).count("1") - 1):
            addresses.append(addresses[-1] + (stream.signed() if form == _DELTAS else known.stride))
        said = self.places[place - _FIRST_PLACE]
        return Instruction(said["opcode"], said, known.lanes, known.before, known.flops, tuple(addresses))


def read_trace(path: Path) -> Trace:
    """The trace in a file of our format; its instructions are read when asked for."""
    try:
        given.check_regular(path)
        with path.open("rb") as file:
            if file.readline(_LONGEST_LINE) != _MAGIC:
                raise GpuoptError(f"{path}: no trace of ours (GPUOPT_EMU_TRACE_FORMAT=gpuopt writes them)")
            header = given.json_document(file.readline(_LONGEST_LINE))
            start = file.tell()
            file.seek(-_OFFSET_BYTES, 2)
            after = file.tell()
            end = int.from_bytes(file.read(_OFFSET_BYTES), "little")
            if not start <= end < after:
                raise GpuoptError(f"{path}: the trace is not whole: the program did not end its launch")
            file.seek(end)
            places = given.json_document(file.read(after - end))
    except OSError as error:
        raise GpuoptError(f"{path}: {error.strerror}") from error
    except given.Unusable as error:
        raise GpuoptError(error.told(path, "trace", "the trace is damaged: ")) from error
    except ValueError as error:
        raise GpuoptError(f"{path}: the trace is damaged: {error}") from error
    if not _is_header(header) or not isinstance(places, list) or not all(map(_is_place, places)):
        raise GpuoptError(f"{path}: the trace is damaged: its header or its places are none")
    return Trace(path, header, tuple(places), start, end)


def _is_header(header: object) -> bool:
    """Whether all is there that readers ask for."""
    if not isinstance(header, dict) or not {"kernel", "launch", "grid", "block"} <= header.keys():
        return False
    sizes = (header["grid"], header["block"])
    return all(isinstance(size, list) and len(size) == 3 and all(type(one) is int for one in size) for size in sizes)


def _is_place(place: object) -> bool:
    if not isinstance(place, dict) or type(place.get("line")) is not int:
        return False
    return all(isinstance(place.get(key), str) for key in ("opcode", "file", "space"))
