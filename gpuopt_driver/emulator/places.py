"""Records of source positions as assembler directives: struct Spot of runtime/events.h."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.listing import Frames


@dataclass(slots=True)
class Places:
    """The records of one unit; equal positions share one. `prefix` begins their labels."""

    prefix: str
    numbers: dict[tuple[Frames, str, int], int] = field(default_factory=dict)
    strings: dict[str, int] = field(default_factory=dict)

    def label(self, frames: Frames, text: str = "", flags: int = 0) -> str:
        """The record for a position; `text` is what more is to be said of it, `flags` those of struct Spot."""
        if frames[1:]:
            self.label(frames[1:])
        number = self.numbers.setdefault((frames, text, flags), len(self.numbers))
        return f"{self.prefix}place{number}"

    def string(self, text: str) -> str:
        """The label of a string."""
        return f"{self.prefix}string{self.strings.setdefault(text, len(self.strings))}"

    def emit(self) -> list[str]:
        """Directives that define all records."""
        lines = ['\t.section\t.data.gpuopt_emu_places,"aw"', "\t.balign 8"]
        for (frames, text, flags), number in self.numbers.items():
            (file, line), callers = frames[0], frames[1:]
            caller = f"{self.prefix}place{self.numbers[callers, '', 0]}" if callers else "0"
            lines.append(f"{self.prefix}place{number}:")
            lines.append(f"\t.8byte {self.string(file)}, {caller}, {self.string(text) if text else 0}")
            lines.append(f"\t.4byte {line}, {flags}, 0, 0")
        if self.strings:
            lines.append('\t.section\t.rodata.gpuopt_emu_strings,"a"')
        for text, number in self.strings.items():
            raw = "".join(
                chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
                for byte in text.encode("utf-8", "surrogateescape")
            )
            lines.append(f'{self.prefix}string{number}:\n\t.string "{raw}"')
        return lines


def table_row(section: str, group: str, *values: str) -> list[str]:
    """One row of a table that the linker joins from all objects; rows of a group of sections go with it."""
    flags = f'"awG",@progbits,{group},comdat' if group else '"aw"'
    return [f"\t.pushsection\t{section},{flags}", "\t.balign 8", f"\t.8byte {', '.join(values)}", "\t.popsection"]
