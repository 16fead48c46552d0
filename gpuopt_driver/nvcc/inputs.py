"""What kind of file each input of a command line is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath

from gpuopt_driver.dataclass import dataclass


class InputKind(Enum):
    """What an input file is, by `-x` or by its suffix."""

    CUDA = "cuda"
    C = "c"
    CXX = "c++"
    PREPROCESSED = "preprocessed"
    ASSEMBLY = "assembly"
    PTX = "ptx"
    CUBIN = "cubin"
    FATBIN = "fatbin"
    OBJECT = "object"
    LIBRARY = "library"
    UNKNOWN = "unknown"


_SUFFIXES: Mapping[str, InputKind] = {
    ".cu": InputKind.CUDA,
    ".c": InputKind.C,
    ".cc": InputKind.CXX,
    ".cpp": InputKind.CXX,
    ".cxx": InputKind.CXX,
    ".i": InputKind.PREPROCESSED,
    ".ii": InputKind.PREPROCESSED,
    ".s": InputKind.ASSEMBLY,
    ".ptx": InputKind.PTX,
    ".cubin": InputKind.CUBIN,
    ".fatbin": InputKind.FATBIN,
    ".o": InputKind.OBJECT,
    ".obj": InputKind.OBJECT,
    ".a": InputKind.LIBRARY,
    ".lib": InputKind.LIBRARY,
    ".so": InputKind.LIBRARY,
    ".res": InputKind.LIBRARY,
}
_LANGUAGES: Mapping[str, InputKind] = {"cu": InputKind.CUDA, "c": InputKind.C, "c++": InputKind.CXX}

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Input:
    """One input: `path` as the user wrote it ("-" for standard input), `absolute` joined to the working directory.

    `kept`: it comes from standard input and is kept in the file `absolute`.
    """

    path: str
    absolute: str
    kind: InputKind
    kept: bool = False

    @property
    def is_stdin(self) -> bool:
        """Whether the source comes from standard input."""
        return self.path == STDIN


def kind_of(path: str, language: str) -> InputKind:
    """What a file is, by the value of `-x` if there is one, else by its suffix."""
    if language in _LANGUAGES:
        return _LANGUAGES[language]
    name = PurePath(path).name
    kind = _SUFFIXES.get(PurePath(name).suffix, InputKind.UNKNOWN)
    return InputKind.LIBRARY if kind is InputKind.UNKNOWN and ".so." in name else kind
