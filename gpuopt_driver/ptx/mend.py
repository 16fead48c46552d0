"""Gives a version the form that its original has: where nvcc fused other products, its PTX is changed.

Where a product is left to ptxas, what that makes of the original is to be found out first (`guess.py`). Whether the
version then has its original's form is for the comparison to say.
"""

from __future__ import annotations

from gpuopt_driver.ptx.change import changes, replaced
from gpuopt_driver.ptx.fusion import Wrong, difference, wrong_forms
from gpuopt_driver.ptx.guess import choices
from gpuopt_driver.ptx.read import Function, function
from gpuopt_driver.ptx.sums import told
from gpuopt_driver.ptx.values import values_of

_MOST = 100  # sums of one version that are changed


def mended(original: Function, version: Function, shift: int) -> Function | None:
    """The version, changed so that it is rounded as its original; None where no such changes are known.

    Of the original all that ptxas decides is written down. Where labels do not say which sums of the version are which
    of the original's, they are taken for what is likely first.
    """
    likely = choices(version, shift).likely()
    first = _changed(original, version, shift)
    return first if first is not None or likely is version else _changed(original, likely, shift)


def _changed(original: Function, version: Function, shift: int) -> Function | None:
    wrong = wrong_forms(original, version, shift, _MOST)
    if wrong is None:
        return None
    for number in range(len(wrong)):
        changed = _right(version, wrong[number], shift)
        if changed is None:
            return None
        version, more = changed
        wrong = [one.moved(wrong[number].total.index, more) for one in wrong]
    return version if difference(original, version, shift) is None else None


def _right(version: Function, wrong: Wrong, shift: int) -> tuple[Function, int] | None:
    """A version with one sum in the form that it is to have, and how many instructions stand in front of that now."""
    values = values_of(version, shift)
    total = version.instructions[wrong.total.index]
    for texts in changes(values, total):
        lines = replaced(version.lines, total, texts)
        if lines is None:
            return None
        changed = function(version.name, list(lines), is_entry=version.is_entry)
        more = len(changed.instructions) - len(version.instructions)
        again = values_of(changed, shift)
        if wrong.is_right(told(again, changed.instructions[total.index + more], wrong.grain, others=wrong.others)):
            return changed, more
    return None
