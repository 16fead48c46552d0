"""Names of ours that are macros of the program, where these cannot be put away.

At the end of a file they can be (`lexical.without_macros`). On the user's lines, and in versions, which are the user's
text with ours in it, such a name becomes another one, and the same in all that we write into the unit. There a name is
ours if `gpuopt_rt::` or an object stands in front of it whose name begins with `gpuopt_`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Unit
from gpuopt_driver.variants.lexical import NO_CODE, macros_of
from gpuopt_driver.variants.pasted import PREFIX

_WORD = re.compile(r"[A-Za-z_]\w*")
_INDEX = r"(?:\s*\[[^\[\]]*\])?"
_OURS = re.compile(
    r"\bgpuopt_(?:rt|out)(?:\s*::\s*[A-Za-z_]\w*)+"
    rf"|\bgpuopt_\w+{_INDEX}(?:\s*(?:\.|->)\s*[A-Za-z_]\w*{_INDEX})+"
)
# What is the language's or CUDA's in declarations of ours is so in the program, too, which has no such macros.
_THEIRS = re.compile(
    r"cuda\w+|__\w+|u?int[34]|dim3|size_t|[xyz]|nullptr|namespace|inline|struct|class|template|typename|typedef|static"
    r"|const|extern|C|void|bool|int|unsigned|return|operator|reinterpret_cast|static_cast|true|false|this"
)


@dataclass(frozen=True, slots=True)
class Renaming:
    """The words of ours that get another name in one unit; usually none."""

    words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, unit: Unit, alone: Iterable[str], mixed: Iterable[str]) -> Renaming:
        """What must be renamed for texts on the user's lines: those of ours alone, and those with the user's."""
        macros = macros_of(unit)
        if not macros:
            return cls()
        found = {word for text in alone for word in _WORD.findall(NO_CODE.sub(" ", text))}
        found.update(word for text in mixed for one in _OURS.findall(text) for word in _WORD.findall(one)[1:])
        ours = (word for word in found & macros if not word.startswith(("gpuopt_", "Gpuopt")))
        return cls(frozenset(word for word in ours if not _THEIRS.fullmatch(word)))

    def alone(self, text: str, theirs: frozenset[str] = frozenset()) -> str:
        """Text of ours; `theirs`: words in it that are the user's, but behind names of ours."""
        words = self.words - theirs
        if words:
            either = re.compile(rf"{NO_CODE.pattern}|\b({'|'.join(sorted(words))})\b", re.DOTALL)
            text = either.sub(lambda found: f"{PREFIX}{found[1]}" if found[1] else found[0], text)
        return self.mixed(text) if self.words & theirs else text

    def mixed(self, text: str) -> str:
        """Text with names of ours and of the user's."""
        if not self.words:
            return text
        word = re.compile(rf"\b(?:{'|'.join(sorted(self.words))})\b")
        return _OURS.sub(lambda found: word.sub(lambda one: f"{PREFIX}{one[0]}", found[0]), text)
