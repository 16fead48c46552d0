"""The machine code of kernels in a cubin: an ELF file with a section `.text.NAME` for each.

CUDA Binary Utilities, "CUDA Binary"; ELF-64 Object File Format, version 1.5.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
_CODE = ".text."
_CONSTANTS = (".nv.constant1.", ".nv.constant2.", ".nv.constant4.")  # of the code itself; 0 has the parameters


def code_of_kernels(cubin: bytes) -> dict[str, tuple[bytes, ...]]:
    """By mangled name, the instructions of each function, and the constants that they use; {} for anything else.

    Two functions with the same are one function but for their name: what is filled in later (relocations) is 0 here.
    """
    try:
        sections = dict(_sections(cubin)) if cubin.startswith(_MAGIC) else {}
    except (struct.error, IndexError, ValueError, OverflowError):
        return {}
    found = {name.removeprefix(_CODE): code for name, code in sections.items() if name.startswith(_CODE)}
    return {
        name: (code, *(sections.get(f"{prefix}{name}", b"") for prefix in _CONSTANTS)) for name, code in found.items()
    }


def _sections(elf: bytes) -> Iterator[tuple[str, bytes]]:
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<3H", elf, 58)
    heads = [struct.unpack_from("<2I4Q", elf, table + size * number) for number in range(count)]
    texts = heads[names][4]
    for name, _, _, _, offset, length in heads:
        begin = texts + name
        yield elf[begin : elf.index(b"\0", begin)].decode(), elf[offset : offset + length]
