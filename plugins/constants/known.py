"""What the launches in a file are known to have: block, grid, and the values of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuopt_driver.api import Const, Dim3, Expr, Kernel, Launch, LaunchKind, Param, dataclass

Triple = tuple[int, int, int]
MOST_THREADS = 1024
_SIGNED = (1 << 63) - 1
_UNSIGNED = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Known:
    """The numbers of one or more launches that are constants of the host code; None, or no argument: not known."""

    block: Triple | None = None
    grid: Triple | None = None
    arguments: tuple[tuple[str, int], ...] = ()

    @property
    def values(self) -> Mapping[str, int]:
        """Every known number by the name that index forms use."""
        found = dict(self.arguments)
        for name, sizes in (("blockDim", self.block), ("gridDim", self.grid)):
            found.update({f"{name}.{axis}": size for axis, size in zip("xyz", sizes or (), strict=False)})
        return found

    @property
    def threads(self) -> int:
        """Threads of a block, 0 where they are not known."""
        return self.block[0] * self.block[1] * self.block[2] if self.block else 0

    def only(self, names: Iterable[str], *, block: bool) -> Known:
        """The same without those numbers that have none of these names; `block`: its size stays."""
        kept = set(names)
        heads = {name.partition(".")[0] for name in kept}
        return Known(
            self.block if block or "blockDim" in heads else None,
            self.grid if "gridDim" in heads else None,
            tuple(pair for pair in self.arguments if pair[0] in kept),
        )


def known(kernel: Kernel, launches: Iterable[Launch]) -> tuple[Known, ...]:
    """What each launch that could get a version is known to have, the most frequent first."""
    counts: dict[Known, int] = {}
    for launch in launches:
        if launch.kind is not LaunchKind.CHEVRON or launch.in_device_code:
            continue
        block = _triple(launch.block)
        if block is not None and block[0] * block[1] * block[2] > MOST_THREADS:
            continue  # CUDA refuses it
        pairs = zip(kernel.params, launch.arguments, strict=False)
        numbers = ((param, number(value)) for param, value in pairs)
        given = tuple(
            (param.name, value)
            for param, value in numbers
            if value is not None and is_usable(param) and -_SIGNED <= value <= _UNSIGNED
        )
        one = Known(block, _triple(launch.grid), given)
        counts[one] = counts.get(one, 0) + 1
    return tuple(sorted(counts, key=lambda one: -counts[one]))


def is_usable(param: Param) -> bool:
    """Whether an argument is a number that a guard can compare, of a parameter that only the kernel changes."""
    if not param.is_integer or not param.name or not 0 < param.size_bytes <= 8:
        return False
    return "volatile" not in param.type


def _triple(sizes: Dim3) -> Triple | None:
    """Three positive numbers, None where one is not known."""
    x, y, z = (number(part) or 0 for part in (sizes.x, sizes.y, sizes.z))
    return (x, y, z) if min(x, y, z) > 0 else None


def number(value: Expr | None) -> int | None:
    """The value of an expression that is a constant."""
    return value.value if isinstance(value, Const) else None
