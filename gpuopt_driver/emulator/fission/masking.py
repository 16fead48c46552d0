"""Control in which threads meet those of their own warps alone: some warps go through it, the others pass it by.

As elsewhere where threads need not agree, each thread is asked. Where the lanes of each warp say the same, loops over
threads go on in such control with the threads that go there; where they do not, threads part (fission/parting.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuopt_driver.emulator.fission.parting import Parting, answers
from gpuopt_driver.emulator.fission.shape import Piece
from gpuopt_driver.emulator.fission.tree import MEETINGS, STEP
from gpuopt_driver.emulator.lexer import Tokens

if TYPE_CHECKING:
    from gpuopt_driver.emulator.fission.text import Writer


def in_step_alone(tokens: Tokens, piece: Piece) -> bool:
    """Whether lanes only go in step in a piece: those that are there, whoever they are."""
    return MEETINGS.intersection(tokens.original[piece.start : piece.end]) == {STEP}


class Masking:
    """Writes such control for a `Writer`."""

    def __init__(self, writer: Writer, parting: Parting) -> None:
        self.writer = writer
        self.parting = parting
        self.within: list[tuple[Piece, int]] = []  # the control around what is written, and which part of it that is

    def chosen(self) -> tuple[bytes, bytes, bytes] | None:
        """The range of the threads that are there, what they have answered, and which answer it is."""
        if not self.within:
            return None
        control, answer = self.within[-1]
        return b"gpuopt_c%d[%d]" % (control.start, answer), answers(control), b"%d" % answer

    def _part(self, piece: Piece, pieces: list[Piece], number: int, answer: int) -> bytes:
        self.within.append((piece, answer))
        text = self.writer.listed(pieces, piece, number)
        self.within.pop()
        return text

    def control(self, piece: Piece) -> bytes:
        """Masked control."""
        item = piece.statement
        assert item
        begin, poll, step, *parts = piece.inner
        name, number = answers(piece), piece.start
        text = b"::gpuopt_emu::Spread<unsigned char>%s(gpuopt_block);::gpuopt_emu::Chosen gpuopt_c%d[2];" % (
            name,
            number,
        )
        start = b"__builtin_memset(%s.at,2,gpuopt_block->threads);" % name
        begins = self.writer.listed(begin, piece, 0)
        if item.kind == "if":
            text += start + self._asked(piece, poll[0])
            for part, pieces in enumerate(parts):
                inside = self._part(piece, pieces, part, 1 - part)
                text += b"if(gpuopt_c%d[%d].any){" % (number, 1 - part) + inside + b"}"
            return b"{" + text + b"}"
        everyone = Piece("poll", piece.start, piece.start)
        text += start + self.writer.over_threads(everyone, name + b".at[gpuopt_i]=1;")
        text += b"::gpuopt_emu::choose(%s.at,gpuopt_block->threads,gpuopt_c%d);" % (name, number)
        self.within.append((piece, 1))
        asked = self._asked(piece, poll[0]) + b"if(!gpuopt_c%d[1].any)break;" % number
        counted = self.writer.listed(step, piece, 0)
        self.within.pop()
        turn = b"if(gpuopt_f){" + counted + (asked if item.kind == "do" else b"") + b"}"
        turn += asked if item.kind != "do" else b""
        body = self._part(piece, parts[0], 0, 1)
        loop = b"for(bool gpuopt_f=false;;gpuopt_f=true){(void)gpuopt_f;" + turn + b"{" + body + b"}}"
        return b"{" + begins + text + b"if(gpuopt_c%d[1].any)" % number + loop + b"}"

    def _asked(self, piece: Piece, poll: Piece) -> bytes:
        """Ask the threads that are there."""
        condition = self.writer.as_it_is(poll)
        text = self.writer.over_threads(poll, b"%s.at[gpuopt_i]=(" % answers(piece) + condition + b")?1:0;")
        text += b"if(!::gpuopt_emu::choose(%s.at,gpuopt_block->threads,gpuopt_c%d))" % (answers(piece), piece.start)
        apart = b"" if in_step_alone(self.writer.tokens, piece) else self.parting.apart(piece)
        return text + b"{" + apart + b"}"
